#include "helve/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace helve::core {
namespace {

struct NoParams {
  void describe(ParamSpec&) {}
};

struct ReadFile {
  static constexpr std::string_view kDescription = "Read a file.\nUse it well.";
  static constexpr Effect kEffect = Effect::kRead;
  using Params = NoParams;
  Result execute(Context&, const Params&) const { return Output{}; }
};

std::unique_ptr<Tool> plain_tool(std::string name, std::string description = "Does things.",
                                 std::string group = "base", Effect effect = Effect::kRead) {
  ToolDefinition definition{.name = std::move(name),
                            .description = std::move(description),
                            .effect = effect,
                            .group = std::move(group)};
  return make_tool(std::move(definition), [](Context&, const Json&) { return Output{}; });
}

std::string_view kind_of(const Expected<void>& refused) { return to_string(refused.error().kind); }

TEST(Registry, TakesNameAndDescriptionFromTheType) {
  const auto tool = make_tool<ReadFile>();
  EXPECT_EQ(tool->definition().name, "read_file");
  EXPECT_EQ(tool->definition().summary(), "Read a file.");
}

TEST(Registry, AnUnknownNameIsAnsweredWithTheNearestFive) {
  Registry registry;
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(registry.add(plain_tool("mcp__files__thing" + std::to_string(i))));
  for (const char* name : {"mcp__hub__list_issues", "mcp__hub__create_issue", "read"})
    ASSERT_TRUE(registry.add(plain_tool(name)));
  const auto bare = registry.find("create_issue");
  EXPECT_EQ(bare.error().hint, "Did you mean mcp__hub__create_issue?");
  const auto far = registry.find("export_all_list_issues_quickly");
  EXPECT_TRUE(far.error().hint.starts_with("The nearest of 303 tools are mcp__hub__list_issues, "))
      << far.error().hint;
  EXPECT_EQ(std::ranges::count(far.error().hint, ','), 3);
}

TEST(Registry, WaitsForToolsThatAreStillToCome) {
  Registry registry;
  auto source = registry.add_source([&](std::string_view name, const std::stop_token&) {
    if (name == "late") static_cast<void>(registry.add(plain_tool("late")));
  });
  EXPECT_FALSE(registry.find("late"));
  EXPECT_TRUE(registry.wait_for("late", {}));
  EXPECT_FALSE(registry.wait_for("never", {}));
  source.reset();
  registry.remove("late");
  EXPECT_FALSE(registry.wait_for("late", {}));
}

TEST(Registry, TakesTheSchemasOfOtherServersAsTheyAre) {
  Registry registry;
  ToolDefinition foreign{.name = "mcp__a__x", .description = "From elsewhere.", .server = "a"};
  foreign.foreign_schema = JsonObject{{"type", "object"}, {"required", JsonArray{"path"}}};
  EXPECT_TRUE(registry.add(make_tool(foreign, [](Context&, const Json&) { return Output{}; })));
}

TEST(Registry, ChecksDefinitions) {
  Registry registry;
  EXPECT_EQ(kind_of(registry.add(plain_tool(" "))), "EMPTY_NAME");
  EXPECT_EQ(kind_of(registry.add(plain_tool("x", " \n"))), "EMPTY_DESCRIPTION");
  ToolDefinition foreign{.name = "x", .description = "From elsewhere."};
  foreign.foreign_schema =
      JsonObject{{"type", "object"}, {"properties", JsonObject()}, {"required", JsonArray{"path"}}};
  EXPECT_EQ(kind_of(registry.add(make_tool(foreign, [](Context&, const Json&) { return Output{}; }))),
            "REQUIRED_PROPERTY_NOT_DEFINED");
  ASSERT_TRUE(registry.add(plain_tool("x")));
  EXPECT_EQ(kind_of(registry.add(plain_tool("x"))), "DUPLICATE_NAME");
  EXPECT_EQ(kind_of(registry.add(plain_tool("../../escape"))), "INVALID_NAME");
  ToolDefinition unfinished{.name = "y", .description = "Forgets things."};
  unfinished.params.members.push_back(
      {"list", "A list.", false, std::nullopt, ParamType::of(ParamType::Kind::kArray)});
  EXPECT_EQ(kind_of(registry.add(make_tool(unfinished, [](Context&, const Json&) { return Output{}; }))),
            "INVALID_PARAMETERS");
  unfinished.params.members.back().type = ParamType::of(ParamType::Kind::kString);
  unfinished.params.members.back().type.pattern = "([";
  EXPECT_EQ(kind_of(registry.add(make_tool(unfinished, [](Context&, const Json&) { return Output{}; }))),
            "INVALID_PARAMETERS");
}

TEST(Registry, PointsFromOldNamesToOurs) {
  Registry registry;
  for (const char* name : {"read", "write", "edit", "exec", "ls", "find", "grep", "apply_patch"})
    ASSERT_TRUE(registry.add(plain_tool(name)));
  const std::vector<std::pair<std::string, std::string>> table{
      {"read_file", "read"},         {"write_file", "write"},
      {"edit_file", "edit"},         {"execute_command", "exec"},
      {"list_directory", "ls"},      {"glob_search", "find"},
      {"grep_search", "grep"},       {"text_replace", "edit"},
      {"directory_tree", "ls"},      {"get_file_info", "ls"},
      {"create_directory", "write"}, {"move_files", "apply_patch"},
      {"edit_text", "edit"},         {"Bash", "exec"},
      {"readFile", "read"},          {"grpe", "grep"},
  };
  for (const auto& [old_name, ours] : table) {
    const auto unknown = registry.find(old_name);
    ASSERT_FALSE(unknown) << old_name;
    EXPECT_EQ(unknown.error().code, ErrorCode::kUnknownTool);
    EXPECT_EQ(unknown.error().message, "Unknown Agent tool: " + old_name);
    EXPECT_EQ(unknown.error().hint, "Did you mean " + ours + "?") << old_name;
  }
}

TEST(Registry, OffersOnlyEnabledToolsInAStableOrder) {
  Registry registry({.enabled = {"base", "code", "-write", "ask_user"}});
  for (const auto& [name, group] :
       std::vector<std::pair<std::string, std::string>>{{"outline", "code"},
                                                        {"write", "base"},
                                                        {"read", "base"},
                                                        {"ask_user", "interaction"},
                                                        {"open", "browser"},
                                                        {"edit", "base"}})
    ASSERT_TRUE(registry.add(plain_tool(name, "Does things.", group)));
  EXPECT_EQ(registry.names(), (std::vector<std::string>{"edit", "read", "outline", "ask_user"}));
  EXPECT_THAT(registry.find("write").error().hint, ::testing::HasSubstr("not enabled"));
}

TEST(Registry, TellsOfChangesUntilTheSubscriptionEnds) {
  Registry registry;
  int changes = 0;
  auto subscription = registry.on_change([&] { ++changes; });
  ASSERT_TRUE(registry.add(plain_tool("x")));
  EXPECT_TRUE(registry.remove("x"));
  EXPECT_FALSE(registry.remove("x"));
  EXPECT_EQ(changes, 2);
  subscription.reset();
  ASSERT_TRUE(registry.add(plain_tool("y")));
  EXPECT_EQ(changes, 2);
}

TEST(Registry, GivesEveryToolTheCommonParameters) {
  Registry registry({.explanation_required = true});
  ASSERT_TRUE(registry.add(plain_tool("look")));
  ToolDefinition change{
      .name = "change", .description = "Changes.", .effect = Effect::kWrite, .dry_runs = true};
  ASSERT_TRUE(registry.add(make_tool(change, [](Context&, const Json&) { return Output{}; })));
  const auto names = [&](const char* tool) {
    std::vector<std::string> found;
    for (const Param& param : (*registry.find(tool))->definition.params.members)
      found.push_back(param.name + (param.required ? "*" : ""));
    return found;
  };
  EXPECT_EQ(names("look"), (std::vector<std::string>{"explanation*"}));
  EXPECT_EQ(names("change"), (std::vector<std::string>{"dryRun", "explanation*"}));
}

TEST(Registry, ChecksArgumentsOfForeignToolsByTheirSchema) {
  ToolDefinition foreign{.name = "x", .description = "From elsewhere."};
  foreign.foreign_schema = JsonObject{
      {"type", "object"},
      {"properties",
       JsonObject{{"mode", JsonObject{{"type", "string"}, {"enum", JsonArray{"a", "b"}}}},
                  {"list", JsonObject{{"type", "array"}, {"items", JsonObject{{"type", "integer"}}}}}}},
      {"required", JsonArray{"mode"}}};
  Registry registry;
  ASSERT_TRUE(registry.add(make_tool(foreign, [](Context&, const Json&) { return Output{}; })));
  const ParamType& params = (*registry.find("x"))->definition.params;
  EXPECT_TRUE(validate(params, JsonObject{{"mode", "a"}, {"extra", 1}}).empty());
  EXPECT_EQ(validate(params, JsonObject{{"mode", "c"}, {"list", JsonArray{1, "2"}}}).size(), 2U);
}

}  // namespace
}  // namespace helve::core
