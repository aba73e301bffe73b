#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "base/file_io.h"
#include "base/strings.h"
#include "core/session_state.h"
#include "helve/session.h"
#include "tools/testing.h"

namespace helve {
namespace {

using testing::ToolTest;

class ExecTest : public ToolTest {
 protected:
  Json data(JsonObject arguments) {
    const Answer answer = call("exec", std::move(arguments));
    if (!answer.ok()) ADD_FAILURE() << answer.result.error().message;
    return answer.ok() ? answer.result->data : Json();
  }
  static Json member(const Json& value, std::string_view key) {
    const Json* found = value.find(key);
    return found == nullptr ? Json("(missing)") : *found;
  }
};

TEST_F(ExecTest, GivesOutputExitCodeAndBothStreams) {
  const Answer answer = call("exec", {{"command", "echo out; echo err >&2; exit 3"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_TRUE(answer.result->content.starts_with("out\nerr\n(exit code 3 after ")) << answer.result->content;
  EXPECT_EQ(member(answer.result->data, "exitCode"), Json(3));
  EXPECT_EQ(member(answer.result->data, "stdout"), Json("out\n"));
  EXPECT_EQ(member(answer.result->data, "stderr"), Json("err\n"));
  EXPECT_EQ(member(answer.result->data, "timedOut"), Json(false));
}

TEST_F(ExecTest, TellsTheLastLineOfTheOutputWhileItRuns) {
  std::string said;
  const Answer answer = runtime().call(
      {.tool = "exec",
       .arguments = JsonObject{{"command",
                                "printf 'one\\n\\033[31mtwo\\n\\n'; until test -e go; do sleep 0.02; done"}},
       .on_progress = [&](const Progress& progress) {
         said = progress.message;
         put("go", "");
       }});
  EXPECT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(said, "two");
}

TEST_F(ExecTest, RunsInADirectoryOfTheWorkspaceAndNowhereElse) {
  put("sub/file", "x");
  EXPECT_EQ(content("exec", {{"command", "pwd; ls"}, {"cwd", "sub"}}), path("sub") + "\nfile\n");
  EXPECT_EQ(error("exec", {{"command", "pwd"}, {"cwd", "../.."}}).code, ErrorCode::kSecurity);
  const Error missing = error("exec", {{"command", "pwd"}, {"cwd", "missing"}});
  EXPECT_EQ(missing.code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.message, "The command cannot run: there is no directory missing.");
  EXPECT_EQ(missing.hint, "cwd is a directory of the workspace, relative to it.");
}

TEST_F(ExecTest, SaysHowKeptOutputIsReadWhenACommandLooksForIt) {
  const Json first = data({{"command", "seq 100000"}});
  const std::string kept = member(first, "outputPath").as_string();
  const std::string tried = content("exec", {{"command", "tail -3 " + kept}});
  EXPECT_THAT(tried, ::testing::HasSubstr("(Commands cannot see what Helve keeps in "));
  EXPECT_THAT(content("read", {{"path", kept}, {"offset", -1}}), ::testing::HasSubstr("100000"));
}

TEST_F(ExecTest, WritesTheWorkspaceAndNothingElse) {
  EXPECT_EQ(content("exec", {{"command", "echo a > a.txt && cat a.txt"}}),
            "a\n(Created a.txt. undo reverts this.)\n");
  EXPECT_EQ(get("a.txt"), "a\n");
  const std::string outside = directory_.at("outside.txt");
  content("exec", {{"command", concat("echo b > ", outside)}});
  EXPECT_FALSE(std::filesystem::exists(outside));
  EXPECT_EQ(names(), (std::vector<std::string>{"a.txt"})) << "nothing was left behind";
}

TEST_F(ExecTest, AReadOnlySandboxWritesNothing) {
  options_.settings.sandbox.level = SandboxLevel::kReadOnly;
  EXPECT_THAT(content("exec", {{"command", "echo b > b.txt"}}), ::testing::HasSubstr("Read-only"));
  EXPECT_FALSE(exists("b.txt"));
  EXPECT_EQ(content("exec", {{"command", "echo c > /tmp/c && cat /tmp/c"}}), "c\n");
}

TEST_F(ExecTest, TheTemporaryDirectoryLastsForTheSession) {
  EXPECT_EQ(content("exec", {{"command", "echo kept > /tmp/kept.txt"}}), "(no output)\n");
  EXPECT_EQ(content("exec", {{"command", "cat /tmp/kept.txt"}}), "kept\n");
  EXPECT_FALSE(std::filesystem::exists("/tmp/kept.txt"));
}

TEST_F(ExecTest, GivesTextToStandardInputAndNothingOtherwise) {
  EXPECT_EQ(content("exec", {{"command", "cat"}, {"stdin", "typed\n"}}), "typed\n");
  EXPECT_EQ(content("exec", {{"command", "cat; echo end"}}), "end\n");
}

TEST_F(ExecTest, EndsEverythingWhenTheTimeIsUp) {
  const Answer answer =
      call("exec", {{"command", "echo before; trap '' TERM; sleep 1000 & sleep 1000"}, {"timeoutMs", 2000}});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(member(answer.result->data, "timedOut"), Json(true));
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("before\n(timed out after "));
}

TEST_F(ExecTest, SaysWhenItsTimeLimitIsNotTheOneThatWasAskedFor) {
  options_.settings.exec.longest_ms = 1500;
  const std::string cut = content("exec", {{"command", "sleep 60"}, {"timeoutMs", 86'400'000}});
  EXPECT_THAT(cut, ::testing::HasSubstr("timed out after"));
  EXPECT_THAT(cut,
              ::testing::HasSubstr(
                  "(Its time limit is 1,500 ms, the most that exec.longest_ms allows, not the 86,400,000 ms "
                  "of timeoutMs; use background for what takes longer.)"));
  EXPECT_EQ(content("exec", {{"command", "echo quick"}, {"timeoutMs", 1500}}), "quick\n");
  options_.settings.exec.session_minutes = 1;
  restart();
  const std::string stays =
      content("exec", {{"command", "sleep 60"}, {"timeoutMs", 120'000}, {"background", true}});
  EXPECT_THAT(
      stays, ::testing::HasSubstr("(Its time limit is 60,000 ms, the most that exec.session_minutes allows"));
}

TEST_F(ExecTest, AnAbbreviatedParameterIsTheOneThatIsMissing) {
  EXPECT_THAT(error("exec", {{"cmd", "ls"}}).message,
              ::testing::HasSubstr("cmd is not a known parameter; did you mean command?"));
  EXPECT_THAT(error("exec", {{"command", "ls"}, {"cmd", "."}}).message,
              ::testing::HasSubstr("did you mean cwd?"));
}

TEST_F(ExecTest, SomebodyWhoWatchesSeesTheOutputAsItComesAndNotTwice) {
  std::string seen;
  runtime().default_session().state().commands.show_live([&](std::string_view text) {
    seen += text;
    if (seen.contains("two\n")) put("heard", "");  // two streams have no order between them
    if (seen.contains("prompt: ")) put("go", "");
  });
  const std::string said = content(
      "exec", {{"command",
                "await() { until test -e $1; do sleep 0.02; done; }; printf 'one\\n\\033[31mtwo\\n' >&2; "
                "await heard; printf 'prompt: '; await go; echo answered; printf 'a\\rb'; exit 3"}});
  EXPECT_EQ(seen, "one\ntwo\nprompt: answered\nb\n");
  EXPECT_TRUE(said.starts_with("(exit code 3 after ")) << said;
  seen.clear();
  EXPECT_EQ(content("exec", {{"command", "seq 1 3000"}}), "") << "all of it was seen";
  EXPECT_EQ(std::ranges::count(seen, '\n'), 3000);
  seen.clear();
  EXPECT_EQ(content("exec", {{"command", "true"}}), "(no output)\n");
  // Output that is not text is described as before.
  EXPECT_NE(content("exec", {{"command", "head -c 2000 /dev/zero"}}), "");
  EXPECT_EQ(seen, "");
}

TEST_F(ExecTest, ReturnsWhenTheCommandEndsThoughAGrandchildHoldsThePipe) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(content("exec", {{"command", "(setsid sleep 600 &) ; echo done"}}).starts_with("done\n"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(ExecTest, ACancelledCallEndsTheCommand) {
  std::stop_source stop;
  std::jthread canceller([&] {
    while (!exists("started")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop.request_stop();
  });
  const Answer answer = runtime().call({.tool = "exec",
                                        .arguments = JsonObject{{"command", "touch started; sleep 600"}},
                                        .stop = stop.get_token()});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kCancelled);
}

TEST_F(ExecTest, ALongOutputShowsHeadErrorsAndTailAndIsKeptWhole) {
  const Answer answer =
      call("exec", {{"command",
                     "for i in $(seq 1 5000); do echo \"line $i\"; done; echo 'x.c:3: error: no such "
                     "thing'; for i in $(seq 5002 10000); do echo \"line $i\"; done"}});
  ASSERT_TRUE(answer.ok());
  const std::string& text = answer.result->content;
  EXPECT_TRUE(text.starts_with("line 1\nline 2\n")) << text;
  EXPECT_THAT(text, ::testing::HasSubstr("\n5001: x.c:3: error: no such thing\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("line 10000\n"));
  EXPECT_LE(text.size(), 5000U);
  EXPECT_TRUE(answer.result->truncated);
  const Json& data = answer.result->data;
  EXPECT_EQ(member(member(data, "output"), "lines"), Json(10'000));

  const std::string kept = member(data, "outputPath").as_string();
  const Answer read = call("read", {{"path", kept}, {"offset", 5001}, {"limit", 1}});
  ASSERT_TRUE(read.ok()) << read.result.error().message;
  EXPECT_EQ(read.result->content.substr(0, 33), "5001\tx.c:3: error: no such thing\n");
  const Answer log = call("process", {{"action", "log"},
                                      {"sessionId", member(data, "sessionId").as_string()},
                                      {"offset", 7000},
                                      {"limit", 2}});
  ASSERT_TRUE(log.ok()) << log.result.error().message;
  EXPECT_TRUE(log.result->content.starts_with("7000\tline 7000\n7001\tline 7001\n")) << log.result->content;
  struct stat status{};
  ASSERT_EQ(::stat(kept.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(ExecTest, SecretsStayOutOfTheEnvironment) {
  ::setenv("HELVE_TEST_API_TOKEN", "hunter2", 1);
  const Json data = this->data({{"command", "env"}});
  ::unsetenv("HELVE_TEST_API_TOKEN");
  EXPECT_THAT(member(data, "stdout").as_string(), ::testing::Not(::testing::HasSubstr("hunter2")));
  EXPECT_THAT(to_text(member(data, "withheldVariables")), ::testing::HasSubstr("HELVE_TEST_API_TOKEN"));
  EXPECT_THAT(member(data, "stdout").as_string(), ::testing::HasSubstr("GIT_TERMINAL_PROMPT=0"));
}

TEST_F(ExecTest, HooksOfARepositoryCannotBeWritten) {
  ASSERT_THAT(content("exec", {{"command", "git init -q . && git init -q deep/er"}}),
              ::testing::HasSubstr("undo reverts this"));
  restart();  // from now on they are the user's
  const std::string tried =
      content("exec", {{"command",
                        "echo x > .git/hooks/pre-commit; echo x > deep/er/.git/hooks/pre-commit; "
                        "git config core.fsmonitor evil; mv deep/er/.git deep/er/other; echo tried"}});
  EXPECT_THAT(tried, ::testing::HasSubstr("tried"));
  EXPECT_FALSE(exists(".git/hooks/pre-commit")) << tried;
  EXPECT_FALSE(exists("deep/er/.git/hooks/pre-commit")) << tried;
  EXPECT_THAT(get(".git/config"), ::testing::Not(::testing::HasSubstr("fsmonitor")));
  EXPECT_TRUE(exists("deep/er/.git/config"));
  // While git itself works.
  put("a.txt", "a");
  EXPECT_EQ(content("exec", {{"command",
                              "git add a.txt && git -c user.name=a -c user.email=b commit -qm x && "
                              "git log --oneline | wc -l"}})
                .substr(0, 2),
            "1\n");
}

TEST_F(ExecTest, WhatCommandsMadeTheyMayRemove) {
  content("exec", {{"command", "git init -q made && git -C made config user.name Ada"}});
  EXPECT_EQ(content("exec", {{"command", "git -C made config user.name Eve && rm -rf made"}}),
            "(Removed made/ (27 paths in it). undo reverts this.)\n");
  EXPECT_FALSE(exists("made"));
}

TEST_F(ExecTest, SaysWhatTheWallsHadToDoWithAFailure) {
  EXPECT_THAT(content("exec", {{"command", "touch /etc/x"}}),
              ::testing::HasSubstr("(Only the workspace and /tmp can be written"));
  content("exec", {{"command", "git init -q ."}});
  restart();
  EXPECT_THAT(content("exec", {{"command", "git config user.name x"}}),
              ::testing::HasSubstr("(Hooks and settings of repositories are protected"));
  EXPECT_THAT(content("exec", {{"command", "sleep 60 & echo started"}}),
              ::testing::HasSubstr("(Its background processes were ended"));
  EXPECT_EQ(content("exec", {{"command", "true & wait; echo fine"}}), "fine\n");
  // A process that ends a moment after the command was not left running.
  EXPECT_EQ(content("exec", {{"command", "sleep 0.003 & echo fine"}}), "fine\n");
}

TEST_F(ExecTest, AListWithNulsIsText) {
  EXPECT_EQ(content("exec", {{"command", "printf 'a\\0b\\0'"}}), "a\\x00b\\x00\n");
}

TEST_F(ExecTest, AFreshRepositoryIsDisarmedAndTheAnswerSaysSo) {
  const Answer answer =
      call("exec", {{"command",
                     "git init -q new && printf '#!/bin/sh\\n' > new/.git/hooks/post-commit && "
                     "chmod +x new/.git/hooks/post-commit && git -C new config core.pager evil"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(exists("new/.git/hooks/post-commit"));
  EXPECT_THAT(get("new/.git/config"), ::testing::Not(::testing::HasSubstr("evil")));
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("new/.git/hooks/post-commit"));
}

TEST_F(ExecTest, NoRepositoryIsLeftArmedWhateverTheTrick) {
  ASSERT_THAT(content("exec", {{"command", "git init -q . && git init -q sub && mkdir conf"}}),
              ::testing::HasSubstr("undo reverts this"));
  restart();  // from now on these two are the user's
  const std::string arm = "printf '[core]\\n\\tfsmonitor = evil\\n' >> ";
  const std::vector<std::string> tricks{std::string("mkdir evil; cp -r .git/objects .git/refs evil/; " + arm +
                                                    "evil/config; echo ../evil > .git/commondir"),
                                        "mv sub sub2; git init -q sub; " + arm + "sub/.git/config",
                                        "git init -q s; mv s/.git s/g; mv s/g/objects s/o; ln -s ../o "
                                        "s/g/objects; echo gitdir: g > s/.git; " +
                                            arm + "s/g/config",
                                        "git init -q l; " + arm + "l/.git/config; chmod 311 l l/.git",
                                        "git init -q h; ln h/.git/config alias",
                                        arm + "alias"};
  for (const std::string& trick : tricks) content("exec", {{"command", trick}});
  EXPECT_FALSE(exists(".git/commondir"));
  std::filesystem::permissions(path("l"), std::filesystem::perms::owner_all);
  for (const char* file : {"sub/.git/config", "s/g/config", "l/.git/config", "h/.git/config"})
    EXPECT_THAT(get(file), ::testing::Not(::testing::HasSubstr("evil"))) << file;
}

TEST_F(ExecTest, HooksElsewhereThatSettingsNameCannotBeWritten) {
  content("exec", {{"command", "git init -q . && mkdir .husky"}});
  put(".git/config", "[core]\n\tbare = false\n\thooksPath = .husky\n");
  content("exec", {{"command", "echo x > .husky/pre-commit"}});
  EXPECT_FALSE(exists(".husky/pre-commit"));
}

TEST_F(ExecTest, DenyRulesForWritingAndGlobsHoldForAnyProgram) {
  options_.settings.permissions.deny = {"edit(./generated/**)", "read(**/.env)"};
  put("generated/a", "as it was");
  put("deep/er/.env", "hunter2");
  content(
      "exec",
      {{"command",
        "d=generated; cp /etc/hostname $d/a; mv generated other; python3 -c 'open(\"generated/a\",\"w\")'"}});
  EXPECT_EQ(get("generated/a"), "as it was");
  const std::string tried = content("exec", {{"command", "d=deep; tar cf - $d | strings; cat $d/er/.e*v"}});
  EXPECT_THAT(tried, ::testing::Not(::testing::HasSubstr("hunter2")));
}

TEST_F(ExecTest, SocketsOutsideOfTheWorkspaceAreOutOfReach) {
  const std::string place = "/var/tmp/helve-socket-test-" + std::to_string(::getpid());
  std::filesystem::create_directory(place);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", place.c_str());
  const bool listens = ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                       ::listen(listener, 1) == 0;
  const std::string tried = content(
      "exec", {{"command", concat("python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect(\"",
                                  place, "/socket\"); print(\"connected\")'")}});
  ::close(listener);
  std::filesystem::remove_all(place);
  ASSERT_TRUE(listens);
  EXPECT_THAT(tried, ::testing::Not(::testing::HasSubstr("connected\n")));
}

TEST_F(ExecTest, NoCommandMakesHooksThatSettingsName) {
  std::filesystem::create_directories(directory_.at("workspace/.git"));
  put(".git/HEAD", "ref: refs/heads/main\n");
  put(".git/config", "[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../shared.inc\n");
  const std::string tried = content(
      "exec", {{"command",
                "mkdir -p .githooks; echo mine > .githooks/pre-commit; mkdir x; echo mine > x/pre-commit; "
                "mv x .githooks; echo mine > shared.inc; ln -s x .githooks; ls -AR . | head -50"}});
  EXPECT_FALSE(exists(".githooks")) << tried;
  EXPECT_FALSE(exists("shared.inc")) << tried;
  std::filesystem::create_directories(directory_.at("workspace/.githooks"));
  put(".githooks/pre-commit", "theirs");
  content("exec", {{"command",
                    "echo mine > .githooks/pre-commit; echo mine > .githooks/post-commit; mv .githooks away; "
                    "mkdir .githooks; echo mine > .githooks/pre-push"}});
  EXPECT_EQ(get(".githooks/pre-commit"), "theirs");
  EXPECT_FALSE(exists(".githooks/post-commit") || exists(".githooks/pre-push"));
}

TEST_F(ExecTest, NoToolWritesHooksOfANestedRepository) {
  std::filesystem::create_directories(directory_.at("workspace/sub/.git"));
  put("sub/.git/HEAD", "ref: refs/heads/main\n");
  put("sub/.git/config", "[core]\n\thooksPath = ../hooks\n");
  put("hooks/pre-commit", "theirs");
  EXPECT_EQ(error("write", {{"path", "hooks/pre-commit"}, {"content", "mine"}}).code,
            ErrorCode::kPermissionDenied);
  content("exec", {{"command", "echo mine >hooks/pre-commit; echo mine >hooks/post-commit"}});
  EXPECT_EQ(get("hooks/pre-commit"), "theirs");
  EXPECT_FALSE(exists("hooks/post-commit"));
}

TEST_F(ExecTest, NoPlaceholderIsReportedAsAChange) {
  EXPECT_THAT(
      content("exec", {{"command", "mkdir .vscode; mkdir .claude; touch .mcp.json; echo x >.agents"}}),
      ::testing::Not(::testing::HasSubstr("Removed")));
  EXPECT_EQ(names(), std::vector<std::string>());
}

TEST_F(ExecTest, NoCommandMakesAFileThatGrantsRights) {
  const std::string tried =
      content("exec", {{"command",
                        "for f in .mcp.json .vscode/mcp.json .claude/settings.json "
                        ".claude/settings.local.json .claude/skills/x/SKILL.md "
                        ".agents/skills/x/SKILL.md; do mkdir -p $(dirname $f); "
                        "rm -rf $f; echo mine > $f; cp $f /tmp/x; mv /tmp/x $f; done; ls -AR"}});
  for (const char* made : {".mcp.json", ".vscode", ".claude", ".agents"})
    EXPECT_FALSE(exists(made)) << made << tried;
  std::filesystem::create_directories(directory_.at("workspace/.claude/skills/x"));
  std::filesystem::create_directories(directory_.at("workspace/.vscode"));
  put(".claude/skills/x/SKILL.md", "theirs");
  put(".vscode/settings.json", "theirs");
  put(".mcp.json", "theirs");
  content("exec",
          {{"command",
            "echo mine > .mcp.json; echo mine > .claude/skills/x/SKILL.md; rm -r .claude; mv .vscode .other; "
            "mkdir -p .vscode; echo mine > .vscode/mcp.json; echo mine > .vscode/settings.json; "
            "echo mine > .claude/settings.json"}});
  EXPECT_EQ(get(".mcp.json"), "theirs");
  EXPECT_EQ(get(".claude/skills/x/SKILL.md"), "theirs");
  EXPECT_FALSE(exists(".vscode/mcp.json"));
  EXPECT_FALSE(exists(".claude/settings.json"));
  EXPECT_EQ(get(".vscode/settings.json"), "mine\n") << "other files are the project's";
}

TEST_F(ExecTest, HelvesOwnConfigurationCannotBeMade) {
  const std::string tried =
      content("exec", {{"command", "mkdir -p .helve; echo 'mode = \"full\"' > .helve/config.toml; ls -A"}});
  EXPECT_FALSE(exists(".helve")) << tried;
}

TEST_F(ExecTest, StateIsHiddenFromCommands) {
  content("exec", {{"command", "true"}});
  EXPECT_THAT(content("exec", {{"command", concat("ls ", directory_.at("state"), "/sessions")}}),
              ::testing::HasSubstr("exit code"));
}

TEST_F(ExecTest, AFileToolFollowsNoLinkThatACommandMadeOutOfTheWorkspace) {
  std::ofstream(directory_.at("secret.txt")) << "secret";
  content("exec", {{"command", concat("ln -s ", directory_.at("secret.txt"), " link")}});
  ASSERT_TRUE(exists("link"));
  EXPECT_EQ(error("read", {{"path", "link"}}).code, ErrorCode::kSecurity);
  EXPECT_EQ(error("write", {{"path", "link"}, {"content", "x"}}).code, ErrorCode::kSecurity);
}

TEST_F(ExecTest, WithoutALauncherItSaysSo) {
  options_.launcher = "/nonexistent/launcher";
  const Error failed = error("exec", {{"command", "true"}});
  EXPECT_THAT(failed.message, ::testing::HasSubstr("/nonexistent/launcher"));
}

TEST_F(ExecTest, AsksUnlessARuleAllowsTheCommand) {
  options_.settings.mode = Mode::kAsk;
  options_.settings.permissions.allow = {"exec(echo:*)"};
  options_.settings.permissions.deny = {"exec(git push:*)"};
  EXPECT_EQ(content("exec", {{"command", "echo hello"}}), "hello\n");
  EXPECT_EQ(error("exec", {{"command", "echo hello; touch x"}}).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error("exec", {{"command", "env git push"}}).code, ErrorCode::kPermissionDenied);
  EXPECT_FALSE(exists("x"));
}

TEST_F(ExecTest, NoCommandReadsAHiddenFileThroughAHardLink) {
  options_.settings.permissions.deny = {"read(**/.env)", "read(./secrets/**)"};
  put(".env", "hunter2\n");
  put("secrets/key", "hunter3\n");
  put("open", "seen\n");
  ASSERT_EQ(::link(path(".env").c_str(), path("copy").c_str()), 0);
  ASSERT_EQ(::link(path("secrets/key").c_str(), path("deep").c_str()), 0);
  const std::string text = content("exec", {{"command", "cat o* c* d*"}});
  EXPECT_THAT(text, ::testing::HasSubstr("seen"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("hunter")));
}

TEST_F(ExecTest, DenyRulesForReadingHoldForCommandsToo) {
  options_.settings.permissions.deny = {"read(./secrets/**)"};
  put("secrets/key", "hunter2");
  EXPECT_EQ(error("read", {{"path", "secrets/key"}}).code, ErrorCode::kPermissionDenied);
  put("open/key", "hunter2 is public");
  const std::string found = content("grep", {{"pattern", "hunter2"}, {"hidden", true}, {"ignored", true}});
  EXPECT_THAT(found, ::testing::Not(::testing::HasSubstr("secrets")));
  EXPECT_THAT(found, ::testing::HasSubstr("open/key"));
  const std::string tried = content("exec", {{"command", "f=secrets/key; cat $f"}});
  EXPECT_THAT(tried, ::testing::Not(::testing::HasSubstr("hunter2")));
}

}  // namespace
}  // namespace helve
