#include "plugins/manifest.h"

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

TEST(Manifest, IsReadWithDefaults) {
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

TEST(Manifest, SaysEverythingThatIsWrong) {
  EXPECT_NE(problem("descriptio = 1\n").find("descriptio is not a known key; did you mean description?"),
            std::string::npos)
      << problem("descriptio = 1\n");
  EXPECT_NE(problem("[[tools]]\nname = \"t\"\n").find("tools[0].description is missing"), std::string::npos);
  EXPECT_EQ(with_tool(""), "p.toml: tools[0].command is missing");
  EXPECT_EQ(with_tool("command = [\"x\", \"{y}\"]"),
            "p.toml: tools[0] uses {y} in \"{y}\", which is none of its parameters");
  EXPECT_EQ(with_tool("command = [\"x\", \"{y\"]"),
            "p.toml: tools[0] has a brace without its pair in \"{y\"; {{ and }} stand for braces");
  EXPECT_NE(
      with_tool("command = [\"{x}\"]\nparameters = [{name = \"x\", type = \"string\", description = \"d\"}]")
          .find("program is not a plain name or path"),
      std::string::npos);
  EXPECT_EQ(with_tool("command = [\"x\"]\neffect = \"ask\""),
            "p.toml: tools[0].effect must be read, write, execute or network, but is \"ask\"");
  EXPECT_NE(
      with_tool("command = [\"x\"]\nparameters = [{name = \"a\", type = \"enum\", description = \"d\"}]")
          .find("is an enum without choices"),
      std::string::npos);
  EXPECT_NE(
      with_tool("command = [\"x\"]\nparameters = [{name = \"a\", type = \"integer\", description = \"d\", "
                "default = \"z\"}]")
          .find("parameters[0].default"),
      std::string::npos);
  EXPECT_NE(with_tool("command = [\"x\", 3]").find("that is no text"), std::string::npos);
}

TEST(Manifest, OfALaterKindIsRefusedForThatAlone) {
  const auto manifest = parse_manifest("manifest_version = 2\nwhatever = 1\n", "p.toml");
  EXPECT_EQ(manifest.error().message, "p.toml: manifest_version is 2; this Helve knows 1.");
}

TEST(Manifest, EachKindHasItsOwnKeys) {
  const std::string tool = "[[tools]]\nname = \"t\"\n";
  EXPECT_EQ(problem(concat("kind = \"library\"\nlibrary = \"t.so\"\n", tool)), "fine");
  EXPECT_EQ(problem(concat("kind = \"mcp\"\ncommand = [\"python3\", \"./t.py\"]\nenv = {A = \"1\"}\n", tool)),
            "fine");
  EXPECT_EQ(problem(concat("kind = \"library\"\n", tool)),
            "p.toml: library is missing: the file of the library in the plugin's folder");
  EXPECT_EQ(problem(concat("kind = \"mcp\"\n", tool)),
            "p.toml: command is missing: the program that speaks MCP, and its arguments");
  EXPECT_NE(problem(concat("kind = \"library\"\nlibrary = \"../t.so\"\n", tool)).find("library"),
            std::string::npos);
  EXPECT_NE(problem(concat("kind = \"library\"\nlibrary = \"t.so\"\ncommand = [\"x\"]\n", tool))
                .find("command is for plugins of the kind mcp"),
            std::string::npos);
  EXPECT_NE(problem(concat("kind = \"mcp\"\ncommand = [\"x\"]\n", tool, "command = [\"y\"]\n"))
                .find("tools[0] has a command or parameters, which are for the kind command"),
            std::string::npos);
}

}  // namespace
}  // namespace helve::plugins
