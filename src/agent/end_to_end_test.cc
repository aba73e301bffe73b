// End-to-end session on a real repository: the agent finds, fixes and tests a bug; the test then checks all
// records and undoes the change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "agent/export.h"
#include "agent/replay.h"
#include "agent/skill_use.h"
#include "agent/system_prompt.h"
#include "agent/testing.h"
#include "base/file_io.h"
#include "base/json_parse.h"

namespace helve::agent {
namespace {

class EndToEndTest : public AgentTest {
 protected:
  EndToEndTest() {
    put("sum.sh", "#!/bin/sh\n# adds its arguments\necho $(($1 - $2))\n");
    put("test.sh", "#!/bin/sh\n[ \"$(sh sum.sh 2 3)\" = 5 ] && echo passed || { echo failed; exit 1; }\n");
    put("README.md", "A small project.\r\nMixed line ends.\n");
    shell(
        "git init -q -b main . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm "
        "begin");
  }
  void shell(const std::string& command) {
    ASSERT_EQ(std::system(concat("cd ", path(""), " && ", command).c_str()), 0) << command;
  }
  std::map<std::string, std::string> tree() {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(""))) {
      const std::string name = std::filesystem::relative(entry.path(), path("")).string();
      if (entry.is_regular_file() && !name.starts_with(".git")) files[name] = get(name);
    }
    return files;
  }
  Answer call(const std::string& tool, JsonObject arguments) {
    return runtime().call({.tool = tool, .arguments = std::move(arguments)});
  }
  void play() {
    model_.then(want({{"c1", "grep", JsonObject{{"pattern", "\\$1 - \\$2"}}}}, "I look for the bug."));
    model_.then(want(
        {{"c2", "read", JsonObject{{"path", "sum.sh"}}}, {"c3", "read", JsonObject{{"path", "test.sh"}}}}));
    model_.then(want(
        {{"c4", "edit", JsonObject{{"path", "sum.sh"}, {"oldText", "$1 - $2"}, {"newText", "$1 + $2"}}}}));
    model_.then(want({{"c5", "exec", JsonObject{{"command", "sh test.sh"}}}}));
    model_.then(say("Fixed: sum.sh subtracted. The test passes."));
  }
};

TEST_F(EndToEndTest, FindsFixesTestsAndUndoesABug) {
  options_.settings.mode = Mode::kAsk;
  const auto approver = everything_allowed();
  approver_ = approver;
  const auto before = tree();
  play();
  ASSERT_EQ(agent().say("The test fails. Fix it.").reason, "done");

  // The model saw the test pass.
  EXPECT_THAT(model_.last_results()[0].content, ::testing::HasSubstr("passed"));
  EXPECT_EQ(get("sum.sh"), "#!/bin/sh\n# adds its arguments\necho $(($1 + $2))\n");
  EXPECT_EQ(approver->asked, (std::vector<std::string>{"c4", "c5"}));

  // Events contain every step once and in order.
  std::vector<std::string> steps;
  for (const std::string& line : event_lines()) {
    const auto words = split(line, ' ');
    if (words.size() > 2 && words[1].starts_with("c"))
      steps.push_back(concat(words[0], " ", words[1], " ", words[2]));
    if (line.starts_with("stream:end")) steps.push_back(line);
  }
  const auto of = [&](std::string_view call) {
    std::vector<std::string> found;
    for (const std::string& step : steps)
      if (step.find(concat(" ", call, " ")) != std::string::npos)
        found.push_back(step.substr(0, step.find(' ')));
    std::erase(found, "update");
    return join(found, " ");
  };
  EXPECT_EQ(of("c1"), "start running end");
  EXPECT_EQ(of("c2"), "start running end");
  EXPECT_EQ(of("c3"), "start running end");
  EXPECT_EQ(of("c4"), "start permission-required permission-granted running end");
  EXPECT_EQ(of("c5"), "start permission-required permission-granted running end");
  EXPECT_EQ(steps.back(), "stream:end done");

  // The audit log has an intent and a result for each call, and a preview for the edit.
  std::map<std::string, std::string> audited;
  const auto audit = read_file(directory_.at("state/audit.jsonl"));
  ASSERT_TRUE(audit);
  for (const std::string_view line : split(*audit, '\n'))
    if (const auto record = parse_json(line); record && record->find("session")->as_string() == agent().id())
      audited[record->find("call")->as_string()] += record->find("kind")->as_string() + " ";
  for (const char* call : {"c1", "c2", "c3", "c5"}) EXPECT_EQ(audited[call], "intent result ") << call;
  EXPECT_EQ(audited["c4"], "preview intent result ");

  // The history lists the change, and undo reverts it.
  const auto session = runtime().open_session({.id = agent().id(), .mode = Mode::kFull}).value();
  const Answer history = runtime().call(session, {.tool = "history", .arguments = JsonObject()});
  ASSERT_TRUE(history.ok());
  EXPECT_THAT(history.result->content, ::testing::HasSubstr("sum.sh"));
  const Answer undo = runtime().call(session, {.tool = "undo", .arguments = JsonObject()});
  ASSERT_TRUE(undo.ok()) << undo.result.error().message;
  EXPECT_EQ(tree(), before);
  shell("git diff --quiet && git status --porcelain | { ! grep -q .; }");
}

TEST_F(EndToEndTest, ReplayComparesResultsWithTheRecordedSession) {
  play();
  ASSERT_EQ(agent().say("The test fails. Fix it.").reason, "done");
  const auto entries = load_entries(records(), agent().id()).value();
  shell("git checkout -q .");
  auto session = runtime().open_session({}).value();
  ReplayReport report = replay(entries, runtime(), session);
  ASSERT_EQ(report.calls.size(), 5u);
  for (const ReplayedCall& call : report.calls)
    EXPECT_TRUE(call.same) << call.tool << "\n" << call.recorded.content << "\n---\n" << call.now.content;
  EXPECT_EQ(report.left_out, 0u);
  // Replay reports differences when the workspace differs.
  shell("git checkout -q . && rm test.sh");
  session = runtime().open_session({}).value();
  report = replay(entries, runtime(), session);
  EXPECT_EQ(report.differing(), 2u);  // the read and the exec of test.sh
}

TEST_F(EndToEndTest, IsExportedAsMarkdownAndJson) {
  play();
  ASSERT_EQ(agent().say("The test fails.\nFix it.").reason, "done");
  const auto record = records().load(agent().id()).value();
  const auto entries = load_entries(records(), agent().id()).value();
  const std::string markdown = to_markdown(record, entries);
  std::size_t last = 0;
  for (const char* part :
       {"# A title\n", "## User\n\nThe test fails.\nFix it.\n", "## Model\n\nI look for the bug.\n",
        "### grep\n\n```json\n", "### edit\n", "### exec\n", "passed", "Fixed: sum.sh subtracted."}) {
    const std::size_t at = markdown.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << " is not in its place in\n" << markdown;
    last = at;
  }
  const Json json = to_export_json(record, entries);
  EXPECT_EQ(json.find("id")->as_string(), agent().id());
  std::vector<std::string> kinds;
  for (const Json& step : json.find("steps")->as_array()) kinds.push_back(step.find("kind")->as_string());
  // Two calls of one reply run concurrently, so their steps may interleave.
  const std::string steps =
      replace_all(join(kinds, " "), "start result start result", "start start result result");
  EXPECT_EQ(steps,
            "begin user assistant start result assistant start start result result assistant start result "
            "assistant "
            "start result assistant end");
}

TEST_F(EndToEndTest, TheSystemPromptIsReproducible) {
  put("AGENTS.md", "Use tabs.\n");
  put(".agents/skills/deploy/SKILL.md",
      "---\nname: deploy\ndescription: Deploys the project.\n---\nRun it on $ARGUMENTS.\n");
  const auto make = [&](bool trusted) {
    auto root = workspace::Root::open(path("")).value();
    auto set = skills::discover_skills({.workspace = root, .project_trusted = trusted});
    const SkillLibrary library{std::move(root), std::move(set)};
    return system_prompt({.runtime = runtime(),
                          .workspace = library.workspace,
                          .skills = library.set.skills,
                          .date = "2026-11-15"});
  };
  const std::string prompt = make(true);
  EXPECT_EQ(prompt, make(true));
  for (const char* part : {"Which tool for what:\n", "Git branch: main\n", "Date: 2026-11-15\n",
                           "<name>deploy</name>", "Use tabs."})
    EXPECT_THAT(prompt, ::testing::HasSubstr(part)) << part;
  // Skills of an untrusted project are ignored. Instructions grant nothing.
  EXPECT_THAT(make(false), ::testing::HasSubstr("Use tabs."));
  EXPECT_THAT(make(false), ::testing::Not(::testing::HasSubstr("deploy")));
}

TEST_F(EndToEndTest, TheModelAndTheUserCanUseSkills) {
  put(".agents/skills/deploy/SKILL.md",
      "---\nname: deploy\ndescription: Deploys the project.\n---\nRun it on $ARGUMENTS.\n");
  put(".agents/skills/deploy/steps.txt", "first this\n");
  auto root = workspace::Root::open(path("")).value();
  auto set = skills::discover_skills({.workspace = root, .project_trusted = true});
  const auto library = std::make_shared<const SkillLibrary>(std::move(root), std::move(set));
  ASSERT_TRUE(runtime().add(make_skill_tool(library)));
  EXPECT_THAT(call("use_skill", {{"name", "deploy"}, {"arguments", "staging"}}).result->content,
              ::testing::HasSubstr("Run it on staging."));
  EXPECT_EQ(call("use_skill", {{"name", "deploy"}, {"file", "steps.txt"}}).result->content, "first this\n");
  EXPECT_EQ(call("use_skill", {{"name", "deplyo"}}).result.error().hint, "Did you mean deploy?");
  EXPECT_EQ(call("use_skill", {{"name", "deploy"}, {"file", "../../../README.md"}}).result.error().code,
            ErrorCode::kSecurity);
  const auto expanded = expand_command("/deploy production now", *library);
  ASSERT_TRUE(expanded && *expanded);
  EXPECT_THAT((*expanded)->text, ::testing::HasSubstr("Run it on production now."));
  EXPECT_FALSE(*expand_command("/etc/passwd is a file", *library));
  EXPECT_FALSE(*expand_command("deploy it", *library));
}

TEST_F(EndToEndTest, AUsedSkillAllowsItsToolsAndNoOthers) {
  put(".agents/skills/tag/SKILL.md",
      "---\nname: tag\ndescription: Tags.\nallowed-tools: Bash(echo tagged:*) Write Teleport\n---\nTag "
      "it.\n");
  auto root = workspace::Root::open(path("")).value();
  auto set = skills::discover_skills({.workspace = root, .project_trusted = true});
  const auto library = std::make_shared<const SkillLibrary>(std::move(root), std::move(set));
  options_.settings.mode = Mode::kAsk;
  options_.settings.permissions.deny = {"write(secret.txt)"};
  restart();
  ASSERT_TRUE(runtime().add(make_skill_tool(library)));
  const auto code = [&](const std::string& tool, JsonObject arguments) {
    const Answer answer = call(tool, std::move(arguments));
    return answer.ok() ? std::string("ok") : std::string(to_string(answer.result.error().code));
  };
  EXPECT_NE(code("exec", {{"command", "echo tagged v1"}}), "ok") << "without an approver";
  EXPECT_EQ(code("use_skill", {{"name", "tag"}}), "ok");
  EXPECT_EQ(code("exec", {{"command", "echo tagged v1"}}), "ok");
  EXPECT_EQ(code("write", {{"path", "new.txt"}, {"content", "x"}}), "ok");
  EXPECT_NE(code("exec", {{"command", "echo other"}}), "ok");
  EXPECT_NE(code("exec", {{"command", "echo tagged v1; echo other"}}), "ok");
  EXPECT_NE(code("write", {{"path", "secret.txt"}, {"content", "x"}}), "ok")
      << "a deny rule takes precedence";
  EXPECT_NE(code("edit", {{"path", "new.txt"}, {"oldText", "x"}, {"newText", "y"}}), "ok");
}

TEST_F(EndToEndTest, ASkillThatAllowsMultiEditAllowsEditsOnly) {
  put(".agents/skills/fix/SKILL.md",
      "---\nname: fix\ndescription: Fixes.\nallowed-tools: MultiEdit\n---\nFix it.\n");
  put("a.txt", "one two\n");
  auto root = workspace::Root::open(path("")).value();
  auto set = skills::discover_skills({.workspace = root, .project_trusted = true});
  options_.settings.mode = Mode::kAsk;
  restart();
  ASSERT_TRUE(
      runtime().add(make_skill_tool(std::make_shared<const SkillLibrary>(std::move(root), std::move(set)))));
  const Answer used = call("use_skill", {{"name", "fix"}});
  ASSERT_TRUE(used.ok());
  EXPECT_EQ(to_text(used.result->data), R"({"skill":"fix","tools":["edit"],"warnings":[]})");
  EXPECT_TRUE(call("edit", {{"path", "a.txt"}, {"oldText", "one"}, {"newText", "1"}}).ok());
  EXPECT_TRUE(call("multi_edit", {{"path", "a.txt"},
                                  {"edits", JsonArray{JsonObject{{"oldText", "two"}, {"newText", "2"}}}}})
                  .ok());
  EXPECT_EQ(get("a.txt"), "1 2\n");
  for (const Answer& refused :
       {call("write", {{"path", "b.txt"}, {"content", "x"}}), call("undo", {}),
        call("apply_patch", {{"patch", "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+x\n"}}),
        call("exec", {{"command", "echo x >b.txt"}})}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.result.error().code, ErrorCode::kPermissionDenied);
  }
  EXPECT_FALSE(exists("b.txt"));
}

TEST_F(EndToEndTest, UnknownNamesInAllowedToolsAreReportedWhenTheSkillIsUsed) {
  put(".agents/skills/tag/SKILL.md",
      "---\nname: tag\ndescription: Tags.\nallowed-tools: Teleport Beam Plugged Read\n---\nTag it.\n");
  auto root = workspace::Root::open(path("")).value();
  auto set = skills::discover_skills({.workspace = root, .project_trusted = true});
  const auto library = std::make_shared<const SkillLibrary>(std::move(root), std::move(set), [] {
    return skills::MoreTools{.tools = {"Plugged"}, .names = {{"Beam", "exec"}}};
  });
  ASSERT_TRUE(runtime().add(make_skill_tool(library)));
  const std::string warning =
      "Skill tag, allowed-tools: There is no tool \"Teleport\"; the name is kept, but allows nothing here.";
  const Answer used = call("use_skill", {{"name", "tag"}});
  ASSERT_TRUE(used.ok());
  EXPECT_THAT(used.result->content, ::testing::HasSubstr(concat("(", warning, ")")));
  EXPECT_EQ(to_text(*used.result->data.find("warnings")), to_text(Json(JsonArray{warning})));
  EXPECT_EQ(to_text(*used.result->data.find("tools")), R"(["Teleport","exec","Plugged","read"])");
  const auto expanded = expand_command("/tag", *library);
  ASSERT_TRUE(expanded && *expanded);
  EXPECT_EQ(allow_tools_of_skill(runtime().default_session(), "tag", (*expanded)->tools),
            std::vector<std::string>{warning});
}

}  // namespace
}  // namespace helve::agent
