#include "policy/approval_memory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "policy/suggest_rule.h"
#include "policy/testing.h"

namespace helve::policy {
namespace {

PermissionRequest exec_call(std::string_view command, std::string_view cwd = "") {
  JsonObject arguments{{"command", command}};
  if (!cwd.empty()) arguments.append("cwd", cwd);
  return {.tool = "exec", .effect = Effect::kExecute, .arguments = std::move(arguments)};
}

class ApprovalTest : public ::testing::Test {
 protected:
  void install(std::string_view name, std::string_view content) {
    world.directory.write(name, content);
    ::chmod(world.directory.at(name).c_str(), 0755);
  }
  bool has(const RequestedCall& call) { return memory.has(call, world.surroundings); }
  Suggestion suggest(std::string_view command) {
    return suggest_rules(exec_call(command), Mode::kAsk, world.rules, world.surroundings);
  }

  World world;
  ApprovalMemory memory;
};

TEST_F(ApprovalTest, ComparesAllArgumentsOfMcpTools) {
  const auto deploy = [](bool dry_run) {
    return PermissionRequest{.tool = "mcp__deploy__run",
                             .effect = Effect::kExecute,
                             .arguments = JsonObject{{"env", "prod"}, {"dryRun", dry_run}}};
  };
  memory.grant_for_session(deploy(true), world.surroundings);
  EXPECT_TRUE(has(deploy(true)));
  EXPECT_FALSE(has(deploy(false)));
}

TEST_F(ApprovalTest, RemembersExactlyTheApprovedCommand) {
  memory.grant_for_session(exec_call("make", "src"), world.surroundings);
  EXPECT_TRUE(has(exec_call("make", "src")));
  EXPECT_TRUE(has(exec_call("make", "./src/")));
  EXPECT_FALSE(has(exec_call("make")));
  EXPECT_FALSE(has(exec_call("make ", "src")));
  PermissionRequest fed = exec_call("make", "src");
  fed.arguments["stdin"] = "x";
  EXPECT_FALSE(has(fed));
  PermissionRequest longer = exec_call("make", "src");
  longer.arguments["timeoutMs"] = 5;
  EXPECT_TRUE(has(longer));
}

TEST_F(ApprovalTest, DescribesWhatASessionApprovalCovers) {
  const auto covers = [](std::string tool, JsonObject arguments,
                         InputApproval input = InputApproval::kWholeJob) {
    return covered_in_session(PermissionRequest{.tool = std::move(tool), .arguments = std::move(arguments)},
                              input);
  };
  EXPECT_EQ(covers("exec", {{"command", "make"}}), "this very command again, in the same directory");
  EXPECT_EQ(covers("exec", {{"command", "sh"}, {"stdin", "ls"}}),
            "this very command again, in the same directory and with the same input");
  EXPECT_EQ(covers("edit", {{"path", "src/a.cc"}, {"oldText", "x"}}), "every edit of src/a.cc");
  EXPECT_EQ(covers("process", {{"action", "write"}, {"sessionId", "cmd-1"}, {"data", "x"}}),
            "any input for this command");
  EXPECT_EQ(covers("process", {{"action", "write"}, {"sessionId", "cmd-1"}, {"data", "x"}},
                   InputApproval::kEachWrite),
            "this call again, with the same arguments");
  EXPECT_EQ(covers("history", {{"action", "redo"}, {"path", "a"}}),
            "this call again, with the same arguments");
  EXPECT_EQ(covers("process", {{"action", "kill"}, {"sessionId", "cmd-1"}}),
            "this call again, with the same arguments");
}

TEST_F(ApprovalTest, ApprovesAllInputToOneJob) {
  const auto input = [](std::string_view command, std::string_view data) {
    return PermissionRequest{
        .tool = "process",
        .effect = Effect::kExecute,
        .arguments = JsonObject{{"action", "write"}, {"sessionId", command}, {"data", data}}};
  };
  EXPECT_FALSE(memory.has_input_to_job(input("cmd-1", "1\n")));
  memory.grant_for_session(input("cmd-1", "1\n"), world.surroundings);
  EXPECT_TRUE(memory.has_input_to_job(input("cmd-1", "2\n")));
  EXPECT_FALSE(memory.has_input_to_job(input("cmd-2", "1\n")));
  EXPECT_FALSE(has(input("cmd-1", "2\n")));
  EXPECT_FALSE(memory.has_input_to_job(exec_call("make")));
}

TEST_F(ApprovalTest, ApprovalOfRedoDoesNotCoverClear) {
  const auto history = [](std::string_view action) {
    return PermissionRequest{.tool = "history",
                             .effect = Effect::kWrite,
                             .arguments = JsonObject{{"action", action}, {"path", "a"}}};
  };
  memory.grant_for_session(history("redo"), world.surroundings);
  EXPECT_TRUE(has(history("redo")));
  EXPECT_FALSE(has(history("clear")));
}

TEST_F(ApprovalTest, ChangedProgramNeedsNewApproval) {
  install("bin/tool", "one");
  world.surroundings.search_path = world.directory.at("bin");
  memory.grant_for_session(exec_call("tool x"), world.surroundings);
  EXPECT_TRUE(has(exec_call("tool x")));
  install("bin/tool", "another");
  EXPECT_FALSE(has(exec_call("tool x")));
}

TEST_F(ApprovalTest, ProgramEarlierInThePathNeedsNewApproval) {
  install("bin/tool", "one");
  world.surroundings.search_path = world.directory.at("first") + ":" + world.directory.at("bin");
  memory.grant_for_session(exec_call("ls | tool"), world.surroundings);
  EXPECT_TRUE(has(exec_call("ls | tool")));
  install("first/tool", "one");
  EXPECT_FALSE(has(exec_call("ls | tool")));
}

TEST_F(ApprovalTest, ChangedScriptNeedsNewApproval) {
  world.directory.write("work/build.sh", "one");
  memory.grant_for_session(exec_call("bash build.sh"), world.surroundings);
  EXPECT_TRUE(has(exec_call("bash build.sh")));
  world.directory.write("work/build.sh", "another");
  EXPECT_FALSE(has(exec_call("bash build.sh")));
}

TEST_F(ApprovalTest, FileChangesAreBoundToTheFile) {
  const auto write = [](std::string_view path, std::string_view content) {
    return PermissionRequest{.tool = "write",
                             .effect = Effect::kWrite,
                             .arguments = JsonObject{{"path", path}, {"content", content}}};
  };
  memory.grant_for_session(write("a", "x"), world.surroundings);
  EXPECT_TRUE(has(write("./a", "y")));
  EXPECT_FALSE(has(write("b", "x")));
}

TEST_F(ApprovalTest, OtherToolsAreBoundToTheirArguments) {
  const auto call = [](std::string_view query) {
    return PermissionRequest{.tool = "mcp__a__b",
                             .effect = Effect::kNetwork,
                             .arguments = JsonObject{{"query", query}, {"page", 1}}};
  };
  memory.grant_for_session(call("x"), world.surroundings);
  EXPECT_TRUE(
      has(PermissionRequest{.tool = "mcp__a__b", .arguments = JsonObject{{"page", 1}, {"query", "x"}}}));
  EXPECT_FALSE(has(call("y")));
}

TEST_F(ApprovalTest, SuggestsTheNarrowestUsefulRules) {
  const std::pair<std::string_view, std::vector<std::string>> rows[] = {
      {"git diff --stat", {"exec(git diff:*)"}},
      {"npm run build --watch", {"exec(npm run build:*)"}},
      {"cargo test x", {"exec(cargo test:*)"}},
      {"docker compose up -d", {"exec(docker compose up:*)"}},
      {"kubectl get pods", {"exec(kubectl get:*)"}},
      {"kubectl delete pod a", {"exec(kubectl delete pod a)"}},
      {"git push --force origin main", {"exec(git push --force origin main)"}},
      {"docker image prune", {"exec(docker image prune)"}},
      {"terraform plan", {"exec(terraform plan)"}},
      {"make all", {"exec(make all:*)"}},
      {"make -j4", {"exec(make -j4)"}},
      {"ls -la", {"exec(ls -la)"}},
      {"grep 'a b' x", {"exec(grep 'a b' x)"}},
      {"./configure --prefix=/x", {"exec(./configure --prefix=/x)"}},
      {"git diff && git log -1 | cat", {"exec(git diff:*)", "exec(git log:*)", "exec(cat)"}},
      {"git diff; git diff --stat", {"exec(git diff:*)"}},
      {"cd src && make test", {"exec(make test:*)"}},
      {"timeout 5 make test", {"exec(make test:*)"}},
      {"sudo systemctl restart web", {"exec(sudo systemctl restart web)"}},
      {"FOO=1 make test", {"exec(FOO=1 make test)"}},
      {"echo x > out.txt", {"exec(echo x)", "edit(/out.txt)"}},
      {"find . -name '*.o' -delete", {"exec(find . -name '*.o' -delete)"}},
  };
  for (const auto& [command, wanted] : rows) {
    const Suggestion suggestion = suggest(command);
    EXPECT_EQ(suggestion.rules, wanted) << command << ": " << suggestion.obstacle;
  }
}

TEST_F(ApprovalTest, NeverSuggestsAPrefixForAnInterpreter) {
  for (const std::string_view command :
       {"bash x.sh", "sh -c 'ls'", "python3 x.py", "python3 -c 'x'", "node x.js", "sudo ls", "env A=1 ls",
        "xargs ls", "perl -e x", "ssh host ls", "npx tool", "find . -exec ls {} +", "eval ls",
        "git -c a.b=c status"})
    for (const std::string& rule : suggest(command).rules)
      EXPECT_FALSE(rule.ends_with("*)")) << command << ": " << rule;
}

TEST_F(ApprovalTest, SaysWhyNoRuleWouldHelp) {
  world.deny("exec(rm:*)").ask("exec(git push:*)");
  for (const std::string_view command : {"rm x", "git push", "$x", "make $x"}) {
    const Suggestion suggestion = suggest(command);
    EXPECT_TRUE(suggestion.rules.empty())
        << command << " " << (suggestion.rules.empty() ? "" : suggestion.rules[0]);
    EXPECT_NE(suggestion.obstacle, "") << command;
  }
}

TEST_F(ApprovalTest, SuggestsRulesForOtherTools) {
  const auto rules = [&](std::string tool, Json arguments) {
    return suggest_rules(
               PermissionRequest{
                   .tool = std::move(tool), .effect = Effect::kWrite, .arguments = std::move(arguments)},
               Mode::kAsk, world.rules, world.surroundings)
        .rules;
  };
  EXPECT_EQ(rules("write", JsonObject{{"path", "src/[a].cc"}}),
            std::vector<std::string>{"edit(/src/\\[a\\].cc)"});
  EXPECT_EQ(rules("mcp__a__b", {}), std::vector<std::string>{"mcp__a__b"});
  EXPECT_EQ(rules("process", JsonObject{{"action", "kill"}}), std::vector<std::string>{"process(kill)"});
  EXPECT_TRUE(rules("write", JsonObject{{"path", ".helve/config.toml"}}).empty());
}

}  // namespace
}  // namespace helve::policy
