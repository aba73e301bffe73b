#include "gateway/server_sources.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/strings.h"
#include "core/testing.h"

namespace helve::gateway {
namespace {

TEST(ReadServers, ReadsTheFormatOfClaude) {
  const auto found = read_servers(R"({"mcpServers": {
      "files": {"command": "npx", "args": ["-y", "server"], "env": {"KEY": "${KEY:-x}", "PORT": 5}},
      "remote": {"type": "http", "url": "https://x.example/mcp", "headers": {"A": "b"}, "disabled": true}}})",
                                  "f.json", "/w");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->servers.size(), 2U);
  EXPECT_EQ(found->servers[0].name, "files");
  EXPECT_EQ(found->servers[0].settings.args, (std::vector<std::string>{"-y", "server"}));
  EXPECT_EQ(found->servers[0].settings.env.at("KEY"), "${KEY:-x}");
  EXPECT_EQ(found->servers[0].settings.env.at("PORT"), "5");
  EXPECT_EQ(found->servers[1].settings.url, "https://x.example/mcp");
  EXPECT_FALSE(found->servers[1].settings.enabled);
}

TEST(ReadServers, ReadsTheProjectsInClaudesFile) {
  const auto found = read_servers(R"({"projects": {"/w": {"mcpServers": {"a": {"command": "mine"}}},
      "/other": {"mcpServers": {"b": {"command": "no"}}}}, "mcpServers": {"a": {"command": "all"}}})",
                                  "f.json", "/w");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->servers.size(), 1U);
  EXPECT_EQ(found->servers[0].settings.command, "mine");
}

TEST(ReadServers, ReadsTheFormatOfVsCodeWithCommentsAndVariables) {
  const auto found = read_servers(R"({
      // of the team
      "servers": {
        "a": {"type": "stdio", "command": "${workspaceFolder}/bin/a", "env": {"T": "${env:TOKEN}"}, },
        "b": {"command": "b", "env": {"KEY": "${input:key}"}}, /* later */
      },
    })",
                                  "mcp.json", "/w");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->servers.size(), 1U);
  EXPECT_EQ(found->servers[0].settings.command, "/w/bin/a");
  EXPECT_EQ(found->servers[0].settings.env.at("T"), "${TOKEN}");
  ASSERT_EQ(found->warnings.size(), 1U);
  EXPECT_TRUE(found->warnings[0].starts_with("mcp.json: servers.b.env.KEY uses ${input:…}"))
      << found->warnings[0];
}

TEST(ReadServers, ReportsFileAndKey) {
  const auto found = read_servers(R"({"mcpServers": {"a": {"command": 5}, "b": {}, "c": {"command": "c"}}})",
                                  "f.json", "/w");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->servers.size(), 1U);
  EXPECT_EQ(found->warnings,
            (std::vector<std::string>{"f.json: mcpServers.a.command must be a string.",
                                      "f.json: mcpServers.b has neither a command nor a url."}));
  const auto broken = read_servers("{\"mcpServers\": ", "f.json", "/w");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.starts_with("f.json: ")) << broken.error().message;
}

TEST(WithoutComments, KeepsStrings) {
  EXPECT_EQ(without_comments(R"({"a": "// no, \" /* ,]"})"), R"({"a": "// no, \" /* ,]"})");
  EXPECT_EQ(without_comments("[1, // one\n 2,]"), "[1, \n 2 ]");
  EXPECT_EQ(without_comments("[1, /* a\nb */ 2]"), "[1, \n 2]");
  EXPECT_EQ(without_comments("\"open"), "\"open");
  EXPECT_EQ(without_comments("1 /"), "1 /");
  EXPECT_EQ(without_comments("1 /*"), "1 ");
}

TEST(FindServers, IgnoresFilesOfAnUntrustedWorkspace) {
  const TestDirectory directory;
  directory.write(".mcp.json", R"({"mcpServers": {"a": {"command": "x"}, "own": {"command": "theirs"}}})");
  directory.write(".vscode/mcp.json", R"({"servers": {"b": {"command": "y"}}})");
  Settings own;
  own.mcp_servers["own"].command = "mine";
  const FoundServers plain = find_servers(own, "config.toml", directory.path(), {});
  EXPECT_EQ(plain.servers.size(), 1U);
  EXPECT_EQ(plain.warnings.size(), 2U);
  const auto reviewed =
      std::make_shared<settings::ProjectGrants>(settings::read_project_grants(directory.path()).value());
  directory.write(".mcp.json", R"({"mcpServers": {"late": {"command": "evil"}}})");  // not what was reviewed
  const FoundServers trusted = find_servers(own, "config.toml", directory.path(), {.grants = reviewed});
  ASSERT_EQ(trusted.servers.size(), 3U);
  EXPECT_EQ(trusted.servers[0].settings.command, "mine");
  EXPECT_EQ(trusted.servers[2].name, "b");
}

TEST(FindServers, NoServerStartsWithAProgramThatNobodyReviewed) {
  const TestDirectory directory;
  directory.write("tools/server.js", "1");
  directory.write(".mcp.json",
                  R"({"mcpServers": {"a": {"command": "/bin/true", "args": ["tools/server.js"]}}})");
  const auto reviewed =
      std::make_shared<settings::ProjectGrants>(settings::read_project_grants(directory.path()).value());
  const Settings none;
  const ServerConfig server =
      find_servers(none, "config.toml", directory.path(), {.grants = reviewed}).servers.front();
  EXPECT_TRUE(process_start(server, directory.path(), "/proc/self/exe"));
  directory.write("tools/server.js", "evil");
  const auto start = process_start(server, directory.path(), "/proc/self/exe");
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().message,
            "tools/server.js is not what you reviewed any more, so Helve does not run it.");
}

TEST(ExpandVariables, SupportsDefaults) {
  ::setenv("HELVE_TEST_SET", "value", 1);
  ::setenv("HELVE_TEST_EMPTY", "", 1);
  EXPECT_EQ(expand_variables("a ${HELVE_TEST_SET} b"), "a value b");
  EXPECT_EQ(expand_variables("${HELVE_TEST_UNSET:-default}${HELVE_TEST_EMPTY:-d}"), "defaultd");
  EXPECT_EQ(expand_variables("${HELVE_TEST_EMPTY}"), "");
  EXPECT_EQ(expand_variables("$HOME ${open"), "$HOME ${open");
  const auto missing = expand_variables("${HELVE_TEST_UNSET}");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "uses the variable HELVE_TEST_UNSET, which is not set.");
  ::unsetenv("HELVE_TEST_SET");
  ::unsetenv("HELVE_TEST_EMPTY");
}

TEST(Expanded, ReportsFileAndKey) {
  ServerConfig config{.name = "a", .origin = "config.toml"};
  config.settings.command = "x";
  config.settings.env["TOKEN"] = "${HELVE_TEST_UNSET}";
  const auto result = expanded(config);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "config.toml: mcp_servers.a.env.TOKEN uses the variable HELVE_TEST_UNSET, which is not set.");
}

}  // namespace
}  // namespace helve::gateway
