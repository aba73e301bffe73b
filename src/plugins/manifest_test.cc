#include "plugins/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::plugins {
namespace {

constexpr std::string_view kHead = "name = \"p\"\nversion = \"1.0.0\"\n";

std::string problem(std::string_view tools) {
  const auto manifest = parse_manifest(concat(kHead, tools), "p.toml");
  return manifest ? "fine" : manifest.error().message;
}

std::string with_tool(std::string_view lines) {
  return problem(concat("[[tools]]\nname = \"t\"\ndescription = \"d\"\n", lines));
}

TEST(Manifest, ReadsWithDefaults) {
  const auto manifest = parse_manifest(concat(kHead, R"(
[[tools]]
name = "jq_query"
description = "Query a JSON file."
effect = "read"
command = ["jq", "{filter}", "{path}"]
parameters = [
  {name = "filter", type = "string", description = "The filter.", required = true},
  {name = "path", type = "path", description = "The file.", required = true},
  {name = "depth", type = "integer", description = "How deep.", default = 3, min = 1},
  {name = "mode", type = "enum", description = "Which.", choices = ["a", "b"]},
]
)"),
                                       "p.toml");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->kind, PluginKind::kCommand);
  const PluginTool& tool = manifest->tools.front();
  EXPECT_EQ(tool.effect, Effect::kRead);
  const ParamType type = parameters_of(tool);
  ASSERT_EQ(type.members.size(), 4U);
  EXPECT_EQ(type.members[0].name, "filter");  // in the order of the manifest
  EXPECT_TRUE(type.members[0].required);
  EXPECT_EQ(type.members[2].default_value, Json(3));
  EXPECT_EQ(type.members[3].type.choices, (std::vector<std::string>{"a", "b"}));
}

TEST(Manifest, ReportsAllProblems) {
  EXPECT_THAT(problem("descriptio = 1\n"),
              ::testing::HasSubstr("descriptio is not a known key; did you mean description?"));
  EXPECT_THAT(problem("[[tools]]\nname = \"t\"\n"), ::testing::HasSubstr("tools[0].description is missing"));
  EXPECT_EQ(with_tool(""), "p.toml: tools[0].command is missing");
  EXPECT_EQ(with_tool("command = [\"x\", \"{y}\"]"),
            "p.toml: tools[0] uses {y} in \"{y}\", which is not one of its parameters");
  EXPECT_EQ(with_tool("command = [\"x\", \"{y\"]"),
            "p.toml: tools[0] has an unmatched brace in \"{y\"; write {{ and }} for literal braces");
  EXPECT_THAT(
      with_tool("command = [\"{x}\"]\nparameters = [{name = \"x\", type = \"string\", description = \"d\"}]"),
      ::testing::HasSubstr("program is not a plain name or path"));
  EXPECT_EQ(with_tool("command = [\"x\"]\neffect = \"ask\""),
            "p.toml: tools[0].effect must be read, write, execute or network, but is \"ask\"");
  EXPECT_THAT(
      with_tool("command = [\"x\"]\nparameters = [{name = \"a\", type = \"enum\", description = \"d\"}]"),
      ::testing::HasSubstr("is an enum without choices"));
  EXPECT_THAT(
      with_tool("command = [\"x\"]\nparameters = [{name = \"a\", type = \"integer\", description = \"d\", "
                "default = \"z\"}]"),
      ::testing::HasSubstr("parameters[0].default"));
  EXPECT_THAT(with_tool("command = [\"x\", 3]"), ::testing::HasSubstr("an element that is not a string"));
}

TEST(Manifest, RefusesALaterManifestVersion) {
  const auto manifest = parse_manifest("manifest_version = 2\nwhatever = 1\n", "p.toml");
  EXPECT_EQ(manifest.error().message, "p.toml: manifest_version is 2; only 1 is supported.");
}

TEST(Manifest, EachKindHasItsOwnKeys) {
  const std::string tool = "[[tools]]\nname = \"t\"\n";
  EXPECT_EQ(problem(concat("kind = \"library\"\nlibrary = \"t.so\"\n", tool)), "fine");
  EXPECT_EQ(problem(concat("kind = \"mcp\"\ncommand = [\"python3\", \"./t.py\"]\nenv = {A = \"1\"}\n", tool)),
            "fine");
  EXPECT_EQ(problem(concat("kind = \"library\"\n", tool)),
            "p.toml: library is missing: the library file in the plugin's directory");
  EXPECT_EQ(problem(concat("kind = \"mcp\"\n", tool)),
            "p.toml: command is missing: the MCP server's program and its arguments");
  EXPECT_THAT(problem(concat("kind = \"library\"\nlibrary = \"../t.so\"\n", tool)),
              ::testing::HasSubstr("library"));
  EXPECT_THAT(problem(concat("kind = \"library\"\nlibrary = \"t.so\"\ncommand = [\"x\"]\n", tool)),
              ::testing::HasSubstr("command is for plugins of the kind mcp"));
  EXPECT_THAT(
      problem(concat("kind = \"mcp\"\ncommand = [\"x\"]\n", tool, "command = [\"y\"]\n")),
      ::testing::HasSubstr("tools[0] has a command or parameters, which are only for the kind command"));
}

}  // namespace
}  // namespace helve::plugins
