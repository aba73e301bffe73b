#include "process/session.h"

#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "base/descriptor_limit.h"
#include "process/testing.h"

namespace helve::process {
namespace {

class SessionTest : public SessionsTest {};

TEST_F(SessionTest, TellsExitCodeAndBothStreams) {
  const auto session = run("echo one; echo two >&2; exit 3");
  EXPECT_EQ(session->status().state, SessionState::kExited);
  EXPECT_EQ(session->status().exit_code, 3);
  EXPECT_EQ(text_of(*session, Stream::kOutput), "one\n");
  EXPECT_EQ(text_of(*session, Stream::kError), "two\n");
  const OutputState state = session->log().state();
  EXPECT_EQ(state.all, (StreamCount{8, 2}));
  EXPECT_EQ(state.output, (StreamCount{4, 1}));
  EXPECT_EQ(state.error, (StreamCount{4, 1}));
}

TEST_F(SessionTest, KeepsTheOrderOfTheStreams) {
  const auto session = run("for i in 1 2 3; do echo out$i; sleep 0.05; echo err$i >&2; sleep 0.05; done");
  EXPECT_EQ(text_of(*session), "out1\nerr1\nout2\nerr2\nout3\nerr3\n");
  EXPECT_EQ(session->log().segments(0, 100).size(), 6U);
}

TEST_F(SessionTest, SaysWhenTheOrderOfTheStreamsIsNotKnown) {
  std::string wanted;
  for (int i = 1; i <= 1000; ++i) wanted += concat("o", i, "\ne", i, "\n");
  for (int round = 0; round < 5; ++round) {
    const auto session = run("for ((i = 1; i <= 1000; i++)); do echo o$i; echo e$i >&2; done");
    EXPECT_TRUE(text_of(*session) == wanted || !session->status().order_known);
    std::string error;
    for (int i = 1; i <= 1000; ++i) error += concat("e", i, "\n");
    EXPECT_EQ(text_of(*session, Stream::kError), error) << "each by itself is in order";
  }
  const auto one = run("echo only one stream; echo of two");
  EXPECT_TRUE(one->status().order_known);
}

TEST_F(SessionTest, TellsTheSignalThatEndedIt) {
  const auto session = run("kill -SEGV $$");
  EXPECT_EQ(session->status().state, SessionState::kSignalled);
  EXPECT_EQ(session->status().signal, SIGSEGV);
}

TEST_F(SessionTest, RunsInItsDirectoryWithItsEnvironmentAlone) {
  auto request = shell_request(directory_, "pwd; env | sort");
  request.launch.environment = {"ONE=1", "PATH=/usr/bin:/bin"};
  const auto session = run(std::move(request));
  const std::string text = text_of(*session, Stream::kOutput);
  EXPECT_TRUE(text.starts_with(directory_.path() + "\n")) << text;
  EXPECT_NE(text.find("\nONE=1\n"), std::string::npos);
  EXPECT_EQ(text.find("HOME="), std::string::npos);
}

TEST_F(SessionTest, StartsWithUsualSignalsAndNoForeignDescriptors) {
  const auto session = run("grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd");
  EXPECT_EQ(text_of(*session, Stream::kOutput),
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\n");  // 3 is what ls reads
}

TEST_F(SessionTest, MissingDirectoryIsAClearError) {
  auto request = shell_request(directory_, "true");
  request.launch.directory = "/no/such/directory";
  const auto session = sessions_->start(std::move(request));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(session.error().message, "There is no directory /no/such/directory to run the command in.");
  EXPECT_TRUE(sessions_->list().empty());
}

TEST_F(SessionTest, MissingProgramIsAClearError) {
  auto request = shell_request(directory_, "true");
  request.launch.argv = {"/no/such/program"};
  const auto session = sessions_->start(std::move(request));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(session.error().message, "There is no program /no/such/program where the command runs.");
}

TEST_F(SessionTest, TooLongCommandIsAClearError) {
  const auto session = sessions_->start(shell_request(directory_, std::string(200'000, 'x')));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(session.error().hint, "Write it to a file and run that.");
}

TEST_F(SessionTest, MissingLauncherIsAClearError) {
  open({.launcher_program = "/no/such/launcher"});
  const auto session = sessions_->start(shell_request(directory_, "true"));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message,
            "Cannot start the launcher /no/such/launcher: No such file or directory");
}

TEST_F(SessionTest, CommandsKeepTheUsualLimitOfOpenFiles) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{.rlim_cur = 512, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  raise_descriptor_limit();
  rlimit raised{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &raised), 0);
  EXPECT_GT(raised.rlim_cur, 512U);
  EXPECT_EQ(text_of(*run("ulimit -Sn")), "512\n");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(SessionTest, EndsWithTheCommandThoughAGrandchildHoldsThePipe) {
  const auto session = run("(sleep 300) & echo done");
  EXPECT_EQ(session->status().state, SessionState::kExited);
  EXPECT_EQ(text_of(*session), "done\n");
}

TEST_F(SessionTest, TimesOutByTermFirst) {
  auto request = shell_request(directory_, "trap 'echo bye; exit 5' TERM; sleep 300 & wait");
  request.time_limit = milliseconds(300);
  const auto session = run(std::move(request));
  EXPECT_EQ(session->status().state, SessionState::kTimedOut);
  EXPECT_EQ(session->status().exit_code, 5);
  EXPECT_EQ(text_of(*session), "bye\n");
}

TEST_F(SessionTest, TimesOutByKillWhenTermIsIgnored) {
  auto request = shell_request(directory_, "trap '' TERM; while :; do sleep 0.1; done");
  request.time_limit = milliseconds(200);
  request.kill_grace = milliseconds(200);
  const auto session = run(std::move(request));
  EXPECT_EQ(session->status().state, SessionState::kTimedOut);
  EXPECT_EQ(session->status().signal, SIGKILL);
}

TEST_F(SessionTest, TheLongestTimeOfTheSettingsHoldsForAll) {
  open({.limits = {.longest_time = milliseconds(200)}});
  const auto session = run("sleep 300");
  EXPECT_EQ(session->status().state, SessionState::kTimedOut);
}

TEST_F(SessionTest, IsKilledOnDemand) {
  const auto session = start("sleep 300");
  EXPECT_FALSE(session->wait_for_end({}, in(milliseconds(50))));
  session->kill();
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(session->status().state, SessionState::kKilled);
  EXPECT_EQ(session->status().signal, SIGTERM);
}

TEST_F(SessionTest, AWaitEndsWhenItIsStopped) {
  const auto session = start("sleep 300");
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(session->wait_for_end(stop.get_token(), Clock::time_point::max()));
  EXPECT_EQ(session->wait({}, stop.get_token(), Clock::time_point::max()), WaitOutcome::kStopped);
}

TEST_F(SessionTest, WaitsForAPatternAcrossReads) {
  const auto session =
      start("echo begin; printf 'listen'; sleep 0.2; printf 'ing on \\e[1m8080\\e[0m'; sleep 300");
  const WaitCondition condition{
      .pattern =
          [](std::string_view text) { return text.find("listening on 8080") != std::string_view::npos; },
      .from = 0};
  EXPECT_EQ(session->wait(condition, {}, in(kPatience)), WaitOutcome::kPattern);
}

TEST_F(SessionTest, WaitForAPatternThatNeverComesEndsWithTheCommand) {
  const auto session = start("echo something else");
  const WaitCondition condition{.pattern = [](std::string_view) { return false; }, .from = 0};
  EXPECT_EQ(session->wait(condition, {}, in(kPatience)), WaitOutcome::kEnded);
}

TEST_F(SessionTest, FindsAPatternThatCameJustBeforeTheEnd) {
  const auto session = run("echo the last word");
  const WaitCondition condition{
      .pattern = [](std::string_view text) { return text.find("last word") != std::string_view::npos; },
      .from = 0};
  EXPECT_EQ(session->wait(condition, {}, in(kPatience)), WaitOutcome::kPattern);
}

TEST_F(SessionTest, WaitsForQuiet) {
  const auto session = start("for i in 1 2 3; do echo $i; sleep 0.05; done; sleep 300");
  EXPECT_EQ(session->wait({.quiet = milliseconds(500)}, {}, in(kPatience)), WaitOutcome::kQuiet);
  EXPECT_EQ(text_of(*session), "1\n2\n3\n");
}

TEST_F(SessionTest, WaitsForAPort) {
  const auto session = start(
      "python3 -c 'import socket,time; s=socket.socket(); s.bind((\"127.0.0.1\",0)); s.listen();"
      " print(s.getsockname()[1], flush=True); time.sleep(300)'");
  std::string text;
  const WaitCondition printed{.pattern =
                                  [&](std::string_view now) {
                                    text = now;
                                    return now.ends_with('\n');
                                  },
                              .from = 0};
  ASSERT_EQ(session->wait(printed, {}, in(kPatience)), WaitOutcome::kPattern);
  const auto port = static_cast<std::uint16_t>(std::stoi(text));
  EXPECT_EQ(session->wait({.port = port}, {}, in(kPatience)), WaitOutcome::kPort);
  EXPECT_EQ(session->usage().listening_ports, std::vector<std::uint16_t>{port});
}

TEST_F(SessionTest, PollGivesWhatIsNew) {
  auto request = shell_request(directory_, "cat");
  request.input = SessionRequest::Input::kOpen;
  const auto session = start(std::move(request));
  const auto say = [&](std::string_view text) {
    const std::uint64_t before = session->log().size();
    EXPECT_TRUE(session->write(text, false));
    while (session->log().size() < before + text.size()) std::this_thread::sleep_for(milliseconds(1));
  };
  say("one\n");
  EXPECT_EQ(session->poll(1000)->excerpt.head, "one\n");
  EXPECT_EQ(session->poll(1000)->excerpt.head, "");
  say("h\xC3");  // half a character stays for the next time
  EXPECT_EQ(session->poll(1000)->excerpt.head, "h");
  say("\xA9\n");
  EXPECT_EQ(session->poll(1000)->excerpt.head, "é\n");
}

TEST_F(SessionTest, ClearForgetsOutputAndGoesOnCounting) {
  auto request = shell_request(directory_, "echo old; read x; echo new");
  request.input = SessionRequest::Input::kOpen;
  const auto session = start(std::move(request));
  while (session->log().size() < 4) std::this_thread::sleep_for(milliseconds(1));
  session->clear();
  EXPECT_EQ(session->log().size(), 0U);
  EXPECT_TRUE(session->write("\n", false));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(text_of(*session), "new\n");
  EXPECT_EQ(read_whole(session->log().path()), "new\n");
  EXPECT_EQ(session->poll(100)->excerpt.head, "new\n");
}

TEST_F(SessionTest, FinishedOnesStayReadableUntilRemoved) {
  const auto id = run("echo kept")->id();
  EXPECT_EQ(text_of(**sessions_->find(id)), "kept\n");
  EXPECT_EQ(directory_.file_count(), 1U);
  EXPECT_TRUE(sessions_->remove(id));
  EXPECT_EQ(directory_.file_count(), 0U);
  const auto missing = sessions_->find(id);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, concat("There is no command with the sessionId ", id, "."));
}

TEST_F(SessionTest, OldFinishedOnesGoFirst) {
  open({.limits = {.most_finished = 2}});
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(run("true")->id());
  EXPECT_FALSE(sessions_->find(ids[0]));
  EXPECT_TRUE(sessions_->find(ids[1]));
  EXPECT_TRUE(sessions_->find(ids[3]));
}

TEST_F(SessionTest, TooManyAtOnceAreRefused) {
  open({.limits = {.most_running = 2}});
  const auto first = start("sleep 300");
  const auto second = start("sleep 300");
  const auto third = sessions_->start(shell_request(directory_, "true"));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
  first->kill();
  EXPECT_TRUE(first->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(run("true")->status().exit_code, 0);
}

TEST_F(SessionTest, TellsWhenACommandEnds) {
  std::mutex mutex;
  std::vector<std::string> ended;
  open({.on_end = [&](const std::shared_ptr<Session>& session) {
    const std::lock_guard lock(mutex);
    EXPECT_FALSE(session->status().running());
    ended.push_back(session->command());
  }});
  static_cast<void>(run("echo a"));
  EXPECT_FALSE(sessions_->start([&] {
    auto request = shell_request(directory_, "true");
    request.launch.directory = "/no/such/directory";
    return request;
  }()));
  static_cast<void>(start("sleep 300"));
  sessions_.reset();
  EXPECT_EQ(ended, (std::vector<std::string>{"echo a", "sleep 300"}));
}

TEST_F(SessionTest, UsageCountsTheWholeTree) {
  const auto session = start("sleep 300 & sleep 300 & echo up; wait");
  const WaitCondition up{.pattern = [](std::string_view text) { return text == "up\n"; }, .from = 0};
  ASSERT_EQ(session->wait(up, {}, in(kPatience)), WaitOutcome::kPattern);
  Usage usage = session->usage();
  for (int i = 0; i < 1000 && usage.programs.size() < 2; ++i) {  // until both forks became sleep
    std::this_thread::sleep_for(milliseconds(5));
    usage = session->usage();
  }
  EXPECT_EQ(usage.processes, 3U);
  EXPECT_EQ(usage.programs, (std::vector<std::string>{"bash", "sleep"}));
  EXPECT_GT(usage.memory_bytes, 1'000'000U);
}

TEST_F(SessionTest, TimeAndMemoryAreToldAtTheEnd) {
  const auto session = run("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
  EXPECT_GT(session->status().user_time.count() + session->status().system_time.count(), 0);
  EXPECT_GT(session->status().most_memory_bytes, 1'000'000U);
}

TEST_F(SessionTest, TwoHundredAtOnce) {
  std::vector<std::shared_ptr<Session>> all;
  for (int i = 0; i < 200; ++i) all.push_back(start(concat("echo ", i, "; sleep 300")));
  for (int i = 0; i < 200; ++i) {
    const std::string expected = concat(i, "\n");
    const WaitCondition printed{.pattern = [&](std::string_view text) { return text == expected; },
                                .from = 0};
    EXPECT_EQ(all[static_cast<std::size_t>(i)]->wait(printed, {}, in(kPatience)), WaitOutcome::kPattern);
  }
  EXPECT_EQ(sessions_->running(), 200U);
  for (const auto& session : all) session->kill(milliseconds(0));
  for (const auto& session : all) EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(sessions_->running(), 0U);
}

TEST_F(SessionTest, ManyThreadsStartAtOnce) {
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 10; ++i) {
          const std::string word = concat(t, "-", i, "\n");
          const auto session = run(concat("printf '", t, "-", i, "\\n'"));
          if (session && text_of(*session) == word) ++good;
        }
      });
  }
  EXPECT_EQ(good, 80);
}

}  // namespace
}  // namespace helve::process
