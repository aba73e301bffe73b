#include "process/job.h"

#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "base/descriptor_limit.h"
#include "process/testing.h"

namespace helve::process {
namespace {

class JobTest : public JobsTest {};

TEST_F(JobTest, ReportsExitCodeAndBothStreams) {
  const auto job = run("echo one; echo two >&2; exit 3");
  EXPECT_EQ(job->status().state, JobState::kExited);
  EXPECT_EQ(job->status().exit_code, 3);
  EXPECT_EQ(text_of(*job, Stream::kOutput), "one\n");
  EXPECT_EQ(text_of(*job, Stream::kError), "two\n");
  const OutputState state = job->log().state();
  EXPECT_EQ(state.all, (StreamCount{8, 2}));
  EXPECT_EQ(state.output, (StreamCount{4, 1}));
  EXPECT_EQ(state.error, (StreamCount{4, 1}));
}

TEST_F(JobTest, KeepsTheOrderOfTheStreams) {
  const auto job = run("for i in 1 2 3; do echo out$i; sleep 0.05; echo err$i >&2; sleep 0.05; done");
  EXPECT_EQ(text_of(*job), "out1\nerr1\nout2\nerr2\nout3\nerr3\n");
  EXPECT_EQ(job->log().segments(0, 100).size(), 6U);
}

TEST_F(JobTest, ReportsWhenTheOrderOfTheStreamsIsUnknown) {
  std::string wanted;
  for (int i = 1; i <= 1000; ++i) wanted += concat("o", i, "\ne", i, "\n");
  for (int round = 0; round < 5; ++round) {
    const auto job = run("for ((i = 1; i <= 1000; i++)); do echo o$i; echo e$i >&2; done");
    EXPECT_TRUE(text_of(*job) == wanted || !job->status().order_known);
    std::string error;
    for (int i = 1; i <= 1000; ++i) error += concat("e", i, "\n");
    EXPECT_EQ(text_of(*job, Stream::kError), error) << "each stream is in order";
  }
  const auto one = run("echo only one stream; echo of two");
  EXPECT_TRUE(one->status().order_known);
}

TEST_F(JobTest, ReportsTheTerminatingSignal) {
  const auto job = run("kill -SEGV $$");
  EXPECT_EQ(job->status().state, JobState::kSignalled);
  EXPECT_EQ(job->status().signal, SIGSEGV);
}

TEST_F(JobTest, RunsInItsDirectoryWithOnlyItsEnvironment) {
  auto request = shell_request(directory_, "pwd; env | sort");
  request.launch.environment = {"ONE=1", "PATH=/usr/bin:/bin"};
  const auto job = run(std::move(request));
  const std::string text = text_of(*job, Stream::kOutput);
  EXPECT_TRUE(text.starts_with(directory_.path() + "\n")) << text;
  EXPECT_THAT(text, ::testing::HasSubstr("\nONE=1\n"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("HOME=")));
}

TEST_F(JobTest, StartsWithDefaultSignalsAndNoExtraDescriptors) {
  const auto job = run("grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd");
  EXPECT_EQ(text_of(*job, Stream::kOutput),
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\n");  // 3 is the directory that
                                                                                    // ls reads
}

TEST_F(JobTest, ReportsAMissingDirectory) {
  auto request = shell_request(directory_, "true");
  request.launch.directory = "/no/such/directory";
  const auto job = jobs_->start(std::move(request));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(job.error().message, "There is no directory /no/such/directory to run the command in.");
  EXPECT_TRUE(jobs_->list().empty());
}

TEST_F(JobTest, ReportsAMissingProgram) {
  auto request = shell_request(directory_, "true");
  request.launch.argv = {"/no/such/program"};
  const auto job = jobs_->start(std::move(request));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(job.error().message, "There is no program /no/such/program where the command runs.");
}

TEST_F(JobTest, ReportsATooLongCommand) {
  const auto job = jobs_->start(shell_request(directory_, std::string(200'000, 'x')));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(job.error().hint, "Write it to a file and run that.");
}

TEST_F(JobTest, ReportsAMissingLauncher) {
  open({.launcher_program = "/no/such/launcher"});
  const auto job = jobs_->start(shell_request(directory_, "true"));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().message, "Cannot start the launcher /no/such/launcher: No such file or directory");
}

TEST_F(JobTest, CommandsKeepTheOriginalLimitOfOpenFiles) {
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

TEST_F(JobTest, EndsWithTheCommandWhileAGrandchildHoldsThePipe) {
  const auto job = run("(sleep 300) & echo done");
  EXPECT_EQ(job->status().state, JobState::kExited);
  EXPECT_EQ(text_of(*job), "done\n");
}

TEST_F(JobTest, TimesOutWithTermFirst) {
  auto request = shell_request(directory_, "trap 'echo bye; exit 5' TERM; sleep 300 & wait");
  request.time_limit = milliseconds(300);
  const auto job = run(std::move(request));
  EXPECT_EQ(job->status().state, JobState::kTimedOut);
  EXPECT_EQ(job->status().exit_code, 5);
  EXPECT_EQ(text_of(*job), "bye\n");
}

TEST_F(JobTest, TimesOutWithKillWhenTermIsIgnored) {
  auto request = shell_request(directory_, "trap '' TERM; while :; do sleep 0.1; done");
  request.time_limit = milliseconds(200);
  request.kill_grace = milliseconds(200);
  const auto job = run(std::move(request));
  EXPECT_EQ(job->status().state, JobState::kTimedOut);
  EXPECT_EQ(job->status().signal, SIGKILL);
}

TEST_F(JobTest, TheSettingLimitsTheTimeOfAllJobs) {
  open({.limits = {.longest_time = milliseconds(200)}});
  const auto job = run("sleep 300");
  EXPECT_EQ(job->status().state, JobState::kTimedOut);
}

TEST_F(JobTest, IsKilledOnDemand) {
  const auto job = start("sleep 300");
  EXPECT_FALSE(job->wait_for_end({}, in(milliseconds(50))));
  job->kill();
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(job->status().state, JobState::kKilled);
  EXPECT_EQ(job->status().signal, SIGTERM);
}

TEST_F(JobTest, AWaitEndsWhenItIsStopped) {
  const auto job = start("sleep 300");
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(job->wait_for_end(stop.get_token(), Clock::time_point::max()));
  EXPECT_EQ(job->wait({}, stop.get_token(), Clock::time_point::max()), WaitOutcome::kStopped);
}

TEST_F(JobTest, WaitsForAPatternAcrossReads) {
  const auto job =
      start("echo begin; printf 'listen'; sleep 0.2; printf 'ing on \\e[1m8080\\e[0m'; sleep 300");
  const WaitCondition condition{
      .pattern =
          [](std::string_view text) { return text.find("listening on 8080") != std::string_view::npos; },
      .from = 0};
  EXPECT_EQ(job->wait(condition, {}, in(kTestTimeout)), WaitOutcome::kPattern);
}

TEST_F(JobTest, WaitForAPatternThatNeverComesEndsWithTheCommand) {
  const auto job = start("echo something else");
  const WaitCondition condition{.pattern = [](std::string_view) { return false; }, .from = 0};
  EXPECT_EQ(job->wait(condition, {}, in(kTestTimeout)), WaitOutcome::kEnded);
}

TEST_F(JobTest, FindsAPatternFromJustBeforeTheEnd) {
  const auto job = run("echo the last word");
  const WaitCondition condition{
      .pattern = [](std::string_view text) { return text.find("last word") != std::string_view::npos; },
      .from = 0};
  EXPECT_EQ(job->wait(condition, {}, in(kTestTimeout)), WaitOutcome::kPattern);
}

TEST_F(JobTest, WaitsForQuiet) {
  const auto job = start("for i in 1 2 3; do echo $i; sleep 0.05; done; sleep 300");
  const WaitCondition begun{.pattern = [](std::string_view text) { return text.contains('1'); }, .from = 0};
  ASSERT_EQ(job->wait(begun, {}, in(kTestTimeout)), WaitOutcome::kPattern);
  EXPECT_EQ(job->wait({.quiet = milliseconds(1500)}, {}, in(kTestTimeout)), WaitOutcome::kQuiet);
  EXPECT_EQ(text_of(*job), "1\n2\n3\n");
}

TEST_F(JobTest, WaitsForAPort) {
  const auto job = start(
      "python3 -c 'import socket,time; s=socket.socket(); s.bind((\"127.0.0.1\",0)); s.listen();"
      " print(s.getsockname()[1], flush=True); time.sleep(300)'");
  std::string text;
  const WaitCondition printed{.pattern =
                                  [&](std::string_view now) {
                                    text = now;
                                    return now.ends_with('\n');
                                  },
                              .from = 0};
  ASSERT_EQ(job->wait(printed, {}, in(kTestTimeout)), WaitOutcome::kPattern);
  const auto port = static_cast<std::uint16_t>(std::stoi(text));
  EXPECT_EQ(job->wait({.port = port}, {}, in(kTestTimeout)), WaitOutcome::kPort);
  EXPECT_EQ(job->usage().listening_ports, std::vector<std::uint16_t>{port});
}

TEST_F(JobTest, PollReturnsNewOutput) {
  auto request = shell_request(directory_, "cat");
  request.input = JobRequest::Input::kOpen;
  const auto job = start(std::move(request));
  const auto say = [&](std::string_view text) {
    const std::uint64_t before = job->log().size();
    EXPECT_TRUE(job->write(text, false));
    while (job->log().size() < before + text.size()) std::this_thread::sleep_for(milliseconds(1));
  };
  say("one\n");
  EXPECT_EQ(job->poll(1000)->excerpt.head, "one\n");
  EXPECT_EQ(job->poll(1000)->excerpt.head, "");
  say("h\xC3");  // half a character is held back
  EXPECT_EQ(job->poll(1000)->excerpt.head, "h");
  say("\xA9\n");
  EXPECT_EQ(job->poll(1000)->excerpt.head, "é\n");
}

TEST_F(JobTest, ClearDropsOutputAndCountsFromZero) {
  auto request = shell_request(directory_, "echo old; read x; echo new");
  request.input = JobRequest::Input::kOpen;
  const auto job = start(std::move(request));
  while (job->log().size() < 4) std::this_thread::sleep_for(milliseconds(1));
  job->clear();
  EXPECT_EQ(job->log().size(), 0U);
  EXPECT_TRUE(job->write("\n", false));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(text_of(*job), "new\n");
  EXPECT_EQ(read_whole(job->log().path()), "new\n");
  EXPECT_EQ(job->poll(100)->excerpt.head, "new\n");
}

TEST_F(JobTest, FinishedJobsStayReadableUntilRemoved) {
  const auto id = run("echo kept")->id();
  EXPECT_EQ(text_of(**jobs_->find(id)), "kept\n");
  EXPECT_EQ(directory_.names().size(), 1U);
  EXPECT_TRUE(jobs_->remove(id));
  EXPECT_EQ(directory_.names().size(), 0U);
  const auto missing = jobs_->find(id);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, concat("There is no command with the sessionId ", id, "."));
}

TEST_F(JobTest, DropsTheOldestFinishedJobsFirst) {
  open({.limits = {.most_finished = 2}});
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(run("true")->id());
  EXPECT_FALSE(jobs_->find(ids[0]));
  EXPECT_TRUE(jobs_->find(ids[1]));
  EXPECT_TRUE(jobs_->find(ids[3]));
}

TEST_F(JobTest, RefusesTooManyJobsAtOnce) {
  open({.limits = {.most_running = 2}});
  const auto first = start("sleep 300");
  const auto second = start("sleep 300");
  const auto third = jobs_->start(shell_request(directory_, "true"));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
  first->kill();
  EXPECT_TRUE(first->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(run("true")->status().exit_code, 0);
}

TEST_F(JobTest, CallsOnEnd) {
  std::mutex mutex;
  std::vector<std::string> ended;
  open({.on_end = [&](const std::shared_ptr<Job>& job) {
    const std::lock_guard lock(mutex);
    EXPECT_FALSE(job->status().running());
    ended.push_back(job->command());
  }});
  static_cast<void>(run("echo a"));
  EXPECT_FALSE(jobs_->start([&] {
    auto request = shell_request(directory_, "true");
    request.launch.directory = "/no/such/directory";
    return request;
  }()));
  static_cast<void>(start("sleep 300"));
  jobs_.reset();
  EXPECT_EQ(ended, (std::vector<std::string>{"echo a", "sleep 300"}));
}

TEST_F(JobTest, UsageCountsTheWholeTree) {
  const auto job = start("sleep 300 & sleep 300 & echo up; wait");
  const WaitCondition up{.pattern = [](std::string_view text) { return text == "up\n"; }, .from = 0};
  ASSERT_EQ(job->wait(up, {}, in(kTestTimeout)), WaitOutcome::kPattern);
  Usage usage = job->usage();
  for (int i = 0; i < 1000 && usage.programs.size() < 2; ++i) {  // until both forks have become sleep
    std::this_thread::sleep_for(milliseconds(5));
    usage = job->usage();
  }
  EXPECT_EQ(usage.processes, 3U);
  EXPECT_EQ(usage.programs, (std::vector<std::string>{"bash", "sleep"}));
  EXPECT_GT(usage.memory_bytes, 1'000'000U);
}

TEST_F(JobTest, ReportsTimeAndMemoryAtTheEnd) {
  const auto job = run("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
  EXPECT_GT(job->status().user_time.count() + job->status().system_time.count(), 0);
  EXPECT_GT(job->status().most_memory_bytes, 1'000'000U);
}

TEST_F(JobTest, RunsTwoHundredJobsAtOnce) {
  std::vector<std::shared_ptr<Job>> all;
  for (int i = 0; i < 200; ++i) all.push_back(start(concat("echo ", i, "; sleep 300")));
  for (int i = 0; i < 200; ++i) {
    const std::string expected = concat(i, "\n");
    const WaitCondition printed{.pattern = [&](std::string_view text) { return text == expected; },
                                .from = 0};
    EXPECT_EQ(all[static_cast<std::size_t>(i)]->wait(printed, {}, in(kTestTimeout)), WaitOutcome::kPattern);
  }
  EXPECT_EQ(jobs_->running(), 200U);
  for (const auto& job : all) job->kill(milliseconds(0));
  for (const auto& job : all) EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(jobs_->running(), 0U);
}

TEST_F(JobTest, StartsJobsFromManyThreads) {
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 10; ++i) {
          const std::string word = concat(t, "-", i, "\n");
          const auto job = run(concat("printf '", t, "-", i, "\\n'"));
          if (job && text_of(*job) == word) ++good;
        }
      });
  }
  EXPECT_EQ(good, 80);
}

}  // namespace
}  // namespace helve::process
