#include "policy/rule_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/testing.h"

namespace helve::policy {
namespace {

const Surroundings kSurroundings{.workspace = "/nowhere/work", .home = "/nowhere/home"};

Expected<LoadedRules> load(RuleLists lists) {
  if (lists.source.empty()) lists.source = "rules.toml";
  return load_rules(std::span(&lists, 1), {kSurroundings});
}

std::string error_of(const RuleLists& lists) {
  const auto loaded = load(lists);
  return loaded ? "" : loaded.error().message;
}

TEST(RuleSet, LoadsListsInOrderWithOrigins) {
  const auto loaded = load({.allow = {{"exec(ls:*)"}, {"edit(/src/**)"}},
                            .ask = {{"exec(git commit:*)"}},
                            .deny = {{"exec(rm:*)"}}});
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->rules.size(), 4U);
  EXPECT_EQ(loaded->rules.back().describe(), "the rule allow edit(/src/**) (rules.toml, allow 2)");
  // In a list merged from several sources, each rule has its own origin.
  EXPECT_EQ(
      load({.deny = {{.rule = "exec(rm:*)", .origin = Origin{"/etc/x.toml", 7}}}})->rules.front().describe(),
      "the rule deny exec(rm:*) (/etc/x.toml, deny 7)");
  EXPECT_TRUE(loaded->warnings.empty());
}

TEST(RuleSet, ChecksExamplesOfCommands) {
  EXPECT_EQ(
      error_of(
          {.allow = {{"exec(git diff:*)", {"git diff", "git diff --stat"}, {"git difftool", "git push"}}}}),
      "");
  EXPECT_EQ(error_of({.allow = {{"exec(git diff:*)", {"git log"}}}}),
            "The example \"git log\" does not match the rule allow exec(git diff:*) (rules.toml, allow 1).");
  EXPECT_EQ(error_of({.deny = {{"exec(rm:*)", {}, {"/bin/rm x"}}}}),
            "The counterexample \"/bin/rm x\" matches the rule deny exec(rm:*) (rules.toml, deny 1).");
  EXPECT_EQ(error_of({.deny = {{"exec(rm:*)", {"sudo rm x", "ls; rm x"}, {"grep 'rm x' y"}}}}), "");
}

TEST(RuleSet, ChecksExamplesOfPathsServersAndActions) {
  EXPECT_EQ(error_of({.deny = {{"read(./secrets/**)", {"secrets/a"}, {"src/secrets.cc"}}}}), "");
  EXPECT_NE(error_of({.deny = {{"read(./secrets/**)", {"other/secrets/a"}}}}), "");
  EXPECT_EQ(error_of({.allow = {{"mcp__git", {"mcp__git__log"}, {"mcp__github__log"}}}}), "");
  EXPECT_NE(error_of({.allow = {{"process(kill)", {"write"}}}}), "");
}

TEST(RuleSet, RejectsRestrictionOfMisspelledTool) {
  EXPECT_EQ(error_of({.deny = {{"exce(rm:*)"}}}),
            "The rule deny exce(rm:*) (rules.toml, deny 1): there is no tool exce; did you mean exec?");
  const auto allowed = load({.allow = {{"exce(ls:*)"}}});
  ASSERT_TRUE(allowed);
  ASSERT_EQ(allowed->warnings.size(), 1U);
  EXPECT_THAT(allowed->warnings[0], ::testing::HasSubstr("did you mean exec?"));
}

TEST(RuleSet, WarnsAboutRulesWithoutEffect) {
  const auto loaded = load({.allow = {{"exec(git push:*)"},
                                      {"exec(ls; rm:*)"},
                                      {"exec(ls:*)"},
                                      {"Bash(ls:*)"},
                                      {"read(./secrets/a)"},
                                      {"exec(* --version)"},
                                      {"exec(git log:*)"}},
                            .ask = {{"exec(git:*)"}},
                            .deny = {{"read(./secrets/**)"}}});
  ASSERT_TRUE(loaded);
  const std::vector<std::string> wanted = {
      "The rule allow exec(git push:*) (rules.toml, allow 1) has no effect: the rule ask exec(git:*) "
      "(rules.toml, ask 1) "
      "is stricter and as wide.",
      "The rule allow exec(ls; rm:*) (rules.toml, allow 2) can never match: each command of a line is "
      "checked separately, and none contains ;.",
      "The rule allow exec(ls:*) (rules.toml, allow 4) is a duplicate of the rule allow exec(ls:*) "
      "(rules.toml, allow 3).",
      "The rule allow read(./secrets/a) (rules.toml, allow 5) has no effect: the rule deny "
      "read(./secrets/**) "
      "(rules.toml, deny 1) is stricter and as wide.",
      "The rule allow exec(* --version) (rules.toml, allow 6) lets any program run, because it does not name "
      "one.",
      "The rule allow exec(git log:*) (rules.toml, allow 7) has no effect: the rule ask exec(git:*) "
      "(rules.toml, ask 1) "
      "is stricter and as wide.",
  };
  EXPECT_EQ(loaded->warnings, wanted);
}

TEST(RuleLists, ReadsRulesWithAndWithoutExamples) {
  const Json list = JsonArray{
      "exec(ls:*)",
      JsonObject{{"rule", "exec(rm:*)"}, {"examples", JsonArray{"rm x"}}, {"notExamples", JsonArray{"ls"}}}};
  const auto entries = read_rule_entries(list, "permissions.deny");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].rule, "exec(ls:*)");
  EXPECT_EQ((*entries)[1].examples, std::vector<std::string>{"rm x"});
  EXPECT_EQ((*entries)[1].not_examples, std::vector<std::string>{"ls"});
}

TEST(RuleLists, NamesTheInvalidListElement) {
  const auto message = [](const Json& list) {
    return read_rule_entries(list, "permissions.deny").error().message;
  };
  EXPECT_EQ(message("exec"), "permissions.deny must be a list of rules, not a value of type string");
  EXPECT_EQ(message(JsonArray{"a", 3}),
            "permissions.deny[1] must be a rule or an object with a rule, not a value of type integer");
  EXPECT_EQ(message(JsonArray{JsonObject{{"rul", "x"}}}), "permissions.deny[0] has no member rul");
  EXPECT_EQ(message(JsonArray{JsonObject{{"examples", JsonArray{}}}}), "permissions.deny[0] has no rule");
}

TEST(RuleLists, ReadsClaudeCodeSettings) {
  const auto rules = read_claude_settings(
      R"x({"model": "m", "permissions": {
          "allow": ["Bash(npm run *)", "WebFetch(domain:a.b)", "Bad("],
          "ask": ["Bash(git push:*)"],
          "deny": ["Read(./.env)"], "defaultMode": "plan"}})x",
      ".claude/settings.json");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->warnings,
            std::vector<std::string>{".claude/settings.json: permissions.defaultMode is not used by Helve."});
  const auto loaded = load_rules(std::span(&rules->lists, 1), {kSurroundings});
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->rules.size(), 4U);
  EXPECT_EQ(loaded->rules[0].text(), "read(./.env)");
  EXPECT_EQ(loaded->rules[2].text(), "exec(npm run *)");
  EXPECT_EQ(loaded->warnings.size(), 2U);
}

TEST(RuleLists, RejectsClaudeSettingsWithInvalidRestrictions) {
  EXPECT_FALSE(read_claude_settings("{", "x"));
  EXPECT_FALSE(read_claude_settings(R"({"permissions": {"deny": "Bash"}})", "x"));
  const auto rules = read_claude_settings(R"({"permissions": {"deny": ["Bash("]}})", "x");
  ASSERT_TRUE(rules);
  EXPECT_FALSE(load_rules(std::span(&rules->lists, 1), {kSurroundings}));
}

TEST(RuleLists, FindsExistingClaudeSettings) {
  const World world;
  world.directory.write("home/.claude/settings.json", "{}");
  world.directory.write("work/.claude/settings.local.json", "{}");
  EXPECT_EQ(find_claude_settings(world.surroundings),
            (std::vector<std::string>{world.directory.at("home/.claude/settings.json"),
                                      world.directory.at("work/.claude/settings.local.json")}));
}

}  // namespace
}  // namespace helve::policy
