#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "base/strings.h"
#include "core/session_state.h"
#include "tools/testing.h"

namespace helve {
namespace {

using testing::ToolTest;

class ProcessTest : public ToolTest {
 protected:
  std::string start(const std::string& command, JsonObject more = {}) {
    more.append("command", command);
    more.append("background", true);
    const Answer answer = call("exec", std::move(more));
    if (!answer.ok()) ADD_FAILURE() << answer.result.error().message;
    return answer.ok() ? answer.result->data.find("sessionId")->as_string() : "";
  }
  Answer process(std::string_view action, const std::string& id, JsonObject more = {}) {
    more.append("action", action);
    if (!id.empty()) more.append("sessionId", id);
    return call("process", std::move(more));
  }
  // The data of a successful answer.
  Json data(std::string_view action, const std::string& id, JsonObject more = {}) {
    Answer answer = process(action, id, std::move(more));
    if (!answer.ok()) ADD_FAILURE() << action << ": " << answer.result.error().message;
    return answer.ok() ? answer.result->data : JsonObject();
  }
};

TEST_F(ProcessTest, ABackgroundCommandIsPolledWrittenToAndEnds) {
  const std::string id = start("while read line; do echo \"got $line\"; done; echo over");
  EXPECT_EQ(data("write", id, {{"data", "one\n"}})["newOutput"], Json("got one\n"));
  EXPECT_EQ(data("poll", id)["newOutput"], Json(""));
  data("write", id, {{"data", "two\n"}, {"eof", true}});
  Json end = data("wait", id);
  EXPECT_EQ(end["outcome"], Json("ended"));
  EXPECT_EQ(end["exitCode"], Json(0));
  EXPECT_EQ(process("log", id).result->content, "1\tgot one\n2\tgot two\n3\tover\n");
}

TEST_F(ProcessTest, NoWaitIsAnsweredWhileFreshRepositoriesAreArmed) {
  const std::string id = start(
      "for i in $(seq 100); do mkdir -p r$i/.git/objects r$i/.git/refs r$i/.git/hooks; "
      "echo 'ref: refs/heads/main' >r$i/.git/HEAD; echo x >r$i/.git/hooks/post-commit; done");
  std::atomic<int> armed = 0;
  {
    std::vector<std::jthread> waiting;
    for (int i = 0; i < 8; ++i)
      waiting.emplace_back([&] {
        const Answer answer = process("wait", id);
        if (!answer.ok()) return;
        for (int n = 1; n <= 100; ++n)
          if (exists(concat("r", n, "/.git/hooks/post-commit"))) ++armed;
      });
  }
  EXPECT_TRUE(exists("r100/.git/HEAD"));
  EXPECT_EQ(armed, 0);
}

TEST_F(ProcessTest, StaysInTheForegroundUntilYieldAndIsTheSameProcessAfterwards) {
  const Answer answer = call("exec", {{"command", "echo $$; sleep 0.6; echo $$"}, {"yieldMs", 100}});
  ASSERT_TRUE(answer.ok());
  const std::string id = answer.result->data.find("sessionId")->as_string();
  EXPECT_EQ(*answer.result->data.find("running"), Json(true));
  data("wait", id);
  const std::string log = process("log", id).result->content;
  const auto lines = split(log, '\n');
  ASSERT_GE(lines.size(), 2U) << log;
  EXPECT_EQ(lines[0].substr(2), lines[1].substr(2));
}

TEST_F(ProcessTest, ALogIsAsLongAsTheLimitOfResultsAllows) {
  options_.settings.results.limits["process"] = 30'000;
  const std::string id = start("seq -f '%0100.0f' 1 1000");
  data("wait", id);
  Json log = data("log", id, {{"limit", 1000}});
  EXPECT_GT(log["lines"].as_integer(), 250);
  EXPECT_LT(log["lines"].as_integer(), 300);
  EXPECT_EQ(log["nextOffset"].as_integer(), log["lines"].as_integer() + 1);
  options_.settings.results.limits.clear();
  restart();
  const std::string again = start("seq -f '%0100.0f' 1 1000");
  data("wait", again);
  EXPECT_LT(data("log", again, {{"limit", 1000}})["lines"].as_integer(), 50);
}

TEST_F(ProcessTest, AQuickCommandWithYieldIsAnsweredAsUsual) {
  EXPECT_EQ(content("exec", {{"command", "echo quick"}, {"yieldMs", 20'000}}), "quick\n");
}

TEST_F(ProcessTest, TellsThatACommandWaitsForInput) {
  const Answer answer =
      call("exec", {{"command", "printf 'name? '; read name; echo \"hello $name\""}, {"yieldMs", 20'000}});
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("waits for input"));
  const std::string id = answer.result->data.find("sessionId")->as_string();
  EXPECT_EQ(data("write", id, {{"data", "ada\n"}})["newOutput"], Json("hello ada\n"));
}

TEST_F(ProcessTest, TellsThatALineWasNotEnded) {
  constexpr std::string_view kRemark = "does not end in a newline";
  const auto write = [&](const std::string& id, const char* data) {
    return process("write", id, {{"data", data}}).result->content;
  };
  for (const bool tty : {false, true}) {
    const std::string id = start("while read x; do echo \"got $x\"; done", {{"tty", tty}});
    const std::string begun = write(id, "hel");
    EXPECT_TRUE(begun.contains(kRemark)) << begun;
    const std::string ended = write(id, "lo\n");
    EXPECT_TRUE(ended.contains("got hello")) << ended;
    EXPECT_FALSE(ended.contains(kRemark)) << ended;
  }
  const std::string echo = write(start("cat"), "hello");
  EXPECT_FALSE(echo.contains(kRemark)) << echo;
  const std::string raw =
      start("stty raw -echo; echo ready; while true; do head -c1 >/dev/null; done", {{"tty", true}});
  data("wait", raw, {{"pattern", "ready"}});
  const std::string key = write(raw, "q");
  EXPECT_FALSE(key.contains(kRemark)) << key;
}

TEST_F(ProcessTest, RecognisesAPasswordPromptOnATerminal) {
  const Answer answer =
      call("exec", {{"command", "read -s -p 'Password: ' x; echo; echo \"${#x} characters\""},
                    {"yieldMs", 20'000},
                    {"tty", true}});
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("waits for a password"));
  const std::string id = answer.result->data.find("sessionId")->as_string();
  data("write", id, {{"data", "12345\n"}});
  data("wait", id);
  EXPECT_THAT(process("log", id).result->content, ::testing::HasSubstr("5 characters"));
}

TEST_F(ProcessTest, WaitsForAPatternAlsoOneThatIsAlreadyThere) {
  const std::string id = start("echo starting; sleep 0.2; echo 'ready in 12 ms'; sleep 600");
  EXPECT_EQ(data("wait", id, {{"pattern", "ready in \\d+"}})["outcome"], Json("pattern"));
  EXPECT_EQ(data("wait", id, {{"pattern", "starting"}})["outcome"], Json("pattern"));
  EXPECT_EQ(data("wait", id, {{"pattern", "never"}, {"timeoutMs", 50}})["outcome"], Json("timeout"));
  EXPECT_EQ(process("wait", id, {{"pattern", "("}}).result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ProcessTest, AWaitThatInputCutsShortSaysWhatHasNotCome) {
  const std::string id = start("echo 'ready?'; read x; echo done; sleep 600");
  Answer answer = process("wait", id, {{"pattern", "done"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.result->data["outcome"], Json("input"));
  EXPECT_THAT(
      answer.result->content,
      ::testing::HasSubstr(
          "(the pattern has not come, but the wait is over, as the command wants input; still running"));
  const std::string other = process("wait", id, {{"port", 48215}}).result->content;
  EXPECT_THAT(other, ::testing::HasSubstr("(it does not listen on port 48215, but the wait is over"));
  const std::string end = process("wait", id).result->content;
  EXPECT_THAT(end, ::testing::HasSubstr("(the wait is over, as the command wants input; still"));
}

TEST_F(ProcessTest, APatternIsLookedForInWhatCameAfterTheLastInput) {
  const std::string id = start("while read x; do sleep 0.3; echo 'done>'; done");
  data("write", id, {{"data", "1\n"}});
  EXPECT_EQ(data("wait", id, {{"pattern", "done>"}})["outcome"], Json("pattern"));
  const auto lines = [&] {
    return data("list", "")["sessions"].as_array()[0]["output"]["lines"].as_integer();
  };
  call("process", {{"action", "write"}, {"sessionId", id}, {"data", "2\n"}});
  data("wait", id, {{"pattern", "done>"}});
  EXPECT_EQ(lines(), 2) << "the first answer is no answer to the second question";
}

TEST_F(ProcessTest, WhatIsTypedStaysOutOfTheAudit) {
  const std::string id = start("cat");
  data("write", id, {{"data", "hunter2\n"}});
  const std::string audit = read_file(directory_.at("state/audit.jsonl")).value();
  EXPECT_THAT(audit, ::testing::Not(::testing::HasSubstr("hunter2")));
  EXPECT_THAT(audit, ::testing::HasSubstr("\"data\":\"(8 bytes)\""));
}

TEST_F(ProcessTest, ReportsAtOnceATerminalThatNobodyAnswersAt) {
  const Answer answer = call("exec", {{"command", "read -p 'Continue? ' x"}, {"tty", true}});
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("waits for input"));
}

TEST_F(ProcessTest, WaitsForQuiet) {
  const std::string id = start("for i in 1 2 3; do echo $i; sleep 0.05; done; sleep 600");
  EXPECT_EQ(data("wait", id, {{"quietMs", 400}})["outcome"], Json("quiet"));
}

TEST_F(ProcessTest, WaitsForAPortAndListsIt) {
  const std::string id = start(
      "exec python3 -c 'import socket,time; s=socket.socket(); s.bind((\"127.0.0.1\",48213)); s.listen(); "
      "time.sleep(600)'");
  EXPECT_EQ(data("wait", id, {{"port", 48213}})["outcome"], Json("port"));
  const Answer list = process("list", "");
  EXPECT_THAT(list.result->content, ::testing::HasSubstr("listens on 48213"));
  const Answer other = process("wait", id, {{"port", 48212}, {"timeoutMs", 50}});
  EXPECT_THAT(other.result->content, ::testing::HasSubstr("it listens on port 48213 instead"));
}

TEST_F(ProcessTest, SaysWhoReachesAServer) {
  constexpr std::string_view kRemark = "(Only commands of this session reach it; ";
  const auto come_up = [&] {
    const std::string id = start(
        "exec python3 -c 'import socket,time; s=socket.socket(); s.bind((\"127.0.0.1\",48216)); s.listen(); "
        "time.sleep(600)'");
    return process("wait", id, {{"port", 48216}}).result->content;
  };
  const std::string apart = come_up();
  EXPECT_TRUE(apart.contains(kRemark)) << apart;
  options_.settings.sandbox.network = true;
  restart();
  const std::string open = come_up();
  EXPECT_TRUE(open.contains("it listens")) << open;
  EXPECT_FALSE(open.contains(kRemark)) << open;
}

TEST_F(ProcessTest, CommandsOfASessionReachEachOtherButNotTheMachine) {
  start(
      "exec python3 -c 'import socket; s=socket.socket(); s.bind((\"127.0.0.1\",48214)); s.listen(); "
      "c,_=s.accept(); c.sendall(b\"hello from the server\")'");
  const std::string client =
      "python3 -c 'import socket; print(socket.create_connection((\"127.0.0.1\",48214)).recv(99).decode())'";
  EXPECT_EQ(content("exec", {{"command", "for i in $(seq 100); do " + client +
                                             " 2>/dev/null && break; sleep 0.1; done"}}),
            "hello from the server\n");

  const int outside = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(outside, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(outside, 1), 0);
  ASSERT_EQ(::getsockname(outside, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string tried = content(
      "exec", {{"command", concat("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\",",
                                  ntohs(address.sin_port), "),2)'")}});
  ::close(outside);
  EXPECT_THAT(tried, ::testing::HasSubstr("refused"));
}

TEST_F(ProcessTest, KillEndsTheWholeTree) {
  const std::string id = start("trap '' TERM; (trap '' TERM; sleep 600) & (setsid sleep 600 &); wait");
  Json killed = data("kill", id);
  EXPECT_EQ(killed["running"], Json(false));
  EXPECT_EQ(killed["state"], Json("killed"));
  EXPECT_EQ(data("list", "")["running"], Json(0));
}

TEST_F(ProcessTest, ClearForgetsOutputAndRemoveTheCommand) {
  const std::string id = start("echo secret; sleep 600");
  data("wait", id, {{"pattern", "secret"}});
  EXPECT_EQ(process("clear", id).result->content, "(the output so far is dropped; the job continues)\n");
  EXPECT_EQ(process("log", id).result->content, "(no output)\n");
  data("remove", id);
  const Error gone = process("poll", id).result.error();
  EXPECT_EQ(gone.code, ErrorCode::kNotFound);
}

TEST_F(ProcessTest, TheEventStreamTellsOfTheEnd) {
  const std::string id = start("sleep 0.1");
  data("wait", id);
  std::string seen;
  std::uint64_t seq = 0;
  for (int i = 0; i < 100 && seen.empty(); ++i) {
    const auto batch =
        runtime().default_session().events().wait_after(seq, {}, std::chrono::milliseconds(100));
    for (const auto& event : batch.events) {
      seq = event->seq;
      const auto* tool = std::get_if<ToolEvent>(&event->body);
      if (tool != nullptr && tool->kind == ToolEvent::Kind::kUpdate &&
          tool->response.find(id) != std::string::npos)
        seen = tool->response;
    }
  }
  EXPECT_THAT(seen, ::testing::HasSubstr("exit code 0"));
}

TEST_F(ProcessTest, TooManyCommandsAreRefused) {
  options_.settings.exec.sessions = 2;
  start("sleep 600");
  start("sleep 600");
  const Error refused = error("exec", {{"command", "sleep 600"}, {"background", true}});
  EXPECT_THAT(refused.message, ::testing::HasSubstr("2"));
}

TEST_F(ProcessTest, ActionsWithoutTheirArgumentsSayWhatIsMissing) {
  EXPECT_EQ(error("process", {{"action", "poll"}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error("process", {{"action", "poll"}, {"sessionId", "cmd_nope"}}).code, ErrorCode::kNotFound);
  const std::string id = start("sleep 600");
  EXPECT_EQ(error("process", {{"action", "write"}, {"sessionId", id}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error("process", {{"action", "log"}, {"sessionId", id}, {"offset", 5}}).code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ProcessTest, TheEndOfTheRuntimeEndsItsCommands) {
  put("marker", "");
  start("while true; do date +%N > marker; sleep 0.02; done");
  for (int i = 0; i < 500 && get("marker").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  restart();
  const std::string last = get("marker");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(get("marker"), last);
}

TEST_F(ProcessTest, WhatIsForgottenOfACommandIsForgottenAltogether) {
  const core::CommandJobs& commands = runtime().default_session().state().commands;
  const auto run = [&] {
    std::string id = start("true");
    process("wait", id, {{"timeoutMs", 20'000}});
    return id;
  };
  const std::string first = run();
  EXPECT_NE(commands.facts(first).directory, "");
  // As many as are kept, twice.
  std::string last;
  for (int i = 0; i < 140; ++i) last = run();
  EXPECT_EQ(commands.facts(first).directory, "");
  EXPECT_NE(commands.facts(last).directory, "");
}

TEST_F(ProcessTest, ASessionThatKeptNothingLeavesNoDirectory) {
  const auto directories = [&] {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.at("state/sessions"), none))
      found.push_back(entry.path().filename());
    return found;
  };
  const auto use = [&](SessionOptions options, const char* command) {
    const auto session = runtime().open_session(std::move(options)).value();
    const Answer answer =
        runtime().call(session, {.tool = "exec", .arguments = JsonObject{{"command", command}}});
    EXPECT_TRUE(answer.ok()) << answer.result.error().message;
    EXPECT_EQ(directories().size(), 1U);
    return session->id();
  };
  use({}, "echo short; echo x > /tmp/file");
  EXPECT_EQ(directories(), std::vector<std::string>());
  const std::string kept = use({}, "seq 30000");
  EXPECT_EQ(directories(), std::vector<std::string>{kept}) << "somebody may want the rest";
  EXPECT_FALSE(std::filesystem::exists(directory_.at(concat("state/sessions/", kept, "/tmp"))));
  std::filesystem::remove_all(directory_.at("state/sessions"));
  use({.id = "named"}, "echo short");
  EXPECT_EQ(directories(), std::vector<std::string>{"named"}) << "another process may be using it";
}

}  // namespace
}  // namespace helve
