#include "policy/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/testing.h"

namespace helve::policy {
namespace {

Expected<Rule> parse(std::string_view text, Verdict verdict = Verdict::kDeny) {
  static const Surroundings kHomeAndWork{.workspace = "/work", .home = "/home/me"};
  return parse_rule(text, verdict, {.source = "rules.toml", .number = 3}, {kHomeAndWork});
}

TEST(Rule, ParsesToolWithAndWithoutSpec) {
  const auto bare = parse("exec");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->tool, "exec");
  EXPECT_FALSE(bare->spec);
  const auto spec = parse(" exec(git diff:*) ");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->spec, "git diff:*");
  EXPECT_EQ(spec->text(), "exec(git diff:*)");
  EXPECT_EQ(spec->describe(), "the rule deny exec(git diff:*) (rules.toml, deny 3)");
}

TEST(Rule, KeepsParenthesesInsideTheSpec) {
  const auto rule = parse("exec(echo '(x)')");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->spec, "echo '(x)'");
}

TEST(Rule, AcceptsClaudeCodeNames) {
  const std::pair<std::string_view, std::string_view> names[] = {{"Bash", "exec"},
                                                                 {"Read", "read"},
                                                                 {"Write", "write"},
                                                                 {"Edit", "edit"},
                                                                 {"MultiEdit", "multi_edit"},
                                                                 {"Glob", "find"},
                                                                 {"Grep", "grep"},
                                                                 {"LS", "ls"},
                                                                 {"BashOutput", "process"},
                                                                 {"KillShell", "process"},
                                                                 {"AskUserQuestion", "ask_user"}};
  for (const auto& [claude, ours] : names) {
    const auto rule = parse(claude);
    ASSERT_TRUE(rule) << claude;
    EXPECT_EQ(rule->tool, ours);
    EXPECT_TRUE(rule->known_tool);
  }
}

TEST(Rule, KeepsUnknownToolAndSuggestsTheNearest) {
  const auto rule = parse("exce(rm:*)");
  ASSERT_TRUE(rule);
  EXPECT_FALSE(rule->known_tool);
  EXPECT_EQ(rule->suggested_tool, "exec");
  const auto far = parse("WebFetch(domain:example.org)");
  ASSERT_TRUE(far);
  EXPECT_FALSE(far->known_tool);
  EXPECT_EQ(far->tool, "WebFetch");
}

TEST(Rule, RejectsInvalidRules) {
  for (const std::string_view text :
       {"", "(x)", "exec(ls", "exec(ls) x", "exec()", "exec ls", "*", "read()", "mcp__*", "mcp__a__b*",
        "mcp__a(x)", "process(stop)", "read(!x)", "edit(~x)"}) {
    const auto rule = parse(text);
    ASSERT_FALSE(rule) << text;
    EXPECT_EQ(rule.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(rule.error().message, ::testing::HasSubstr("rules.toml, rule 3"));
    EXPECT_FALSE(rule.error().hint.empty()) << text;
  }
  EXPECT_EQ(parse("process(kil)").error().hint, "Did you mean process(kill)?");
}

bool applies(std::string_view rule, std::string_view tool, Verdict verdict) {
  return parse(rule, verdict)->applies_to(tool);
}

TEST(Rule, ReadAppliesToAllToolsThatReadFiles) {
  for (const Verdict verdict : {Verdict::kAllow, Verdict::kDeny})
    for (const std::string_view tool : {"read", "grep", "ls", "find", "get_code_outline"})
      EXPECT_TRUE(applies("read(src/**)", tool, verdict)) << tool;
  EXPECT_FALSE(applies("grep(src/**)", "read", Verdict::kDeny));
  EXPECT_FALSE(applies("read", "exec", Verdict::kDeny));
}

TEST(Rule, DenyingReadWithPathAlsoDeniesEdits) {
  EXPECT_TRUE(applies("read(x)", "edit", Verdict::kDeny));
  EXPECT_TRUE(applies("read(x)", "write", Verdict::kAsk));
  EXPECT_FALSE(applies("read(x)", "edit", Verdict::kAllow));
  EXPECT_FALSE(applies("read", "edit", Verdict::kDeny));
}

TEST(Rule, EditAppliesToAllToolsThatChangeFiles) {
  for (const std::string_view tool : {"edit", "multi_edit", "write", "apply_patch", "undo"}) {
    EXPECT_TRUE(applies("Edit(src/**)", tool, Verdict::kAllow)) << tool;
    EXPECT_TRUE(applies("edit", tool, Verdict::kDeny)) << tool;
  }
  EXPECT_FALSE(applies("write(src/**)", "edit", Verdict::kAllow));
  EXPECT_TRUE(applies("write(src/**)", "edit", Verdict::kDeny));
  EXPECT_FALSE(applies("write", "edit", Verdict::kDeny));
}

TEST(Rule, ServerNameAppliesToItsToolsOnly) {
  for (const std::string_view rule : {"mcp__git", "mcp__git__*"}) {
    EXPECT_TRUE(applies(rule, "mcp__git__push", Verdict::kAllow)) << rule;
    EXPECT_FALSE(applies(rule, "mcp__github__push", Verdict::kAllow)) << rule;
  }
  EXPECT_TRUE(applies("mcp__git__push", "mcp__git__push", Verdict::kAllow));
  EXPECT_FALSE(applies("mcp__git__push", "mcp__git__pull", Verdict::kAllow));
}

TEST(Rule, KnowsWhichRuleIsWider) {
  const auto wider = [](std::string_view wide, std::string_view narrow) {
    return covers_all_of(*parse(wide), *parse(narrow, Verdict::kAllow));
  };
  EXPECT_TRUE(wider("exec", "exec(git diff:*)"));
  EXPECT_TRUE(wider("exec(*)", "exec"));
  EXPECT_TRUE(wider("exec(git:*)", "exec(git diff:*)"));
  EXPECT_TRUE(wider("exec(git:*)", "exec(git diff)"));
  EXPECT_FALSE(wider("exec(git diff)", "exec(git diff:*)"));
  EXPECT_FALSE(wider("exec(git diff:*)", "exec(git:*)"));
  EXPECT_TRUE(wider("read(secrets/**)", "read(secrets/a/*.key)"));
  EXPECT_FALSE(wider("read(secrets/a/**)", "read(secrets/**)"));
  EXPECT_TRUE(wider("edit(src/**)", "write(src/x.cc)"));
  EXPECT_FALSE(wider("write(src/**)", "edit(src/x.cc)"));
  EXPECT_TRUE(wider("mcp__a", "mcp__a__b"));
  EXPECT_FALSE(wider("mcp__a__b", "mcp__a"));
}

}  // namespace
}  // namespace helve::policy
