#include "cli/init/config_edit.h"

#include <gtest/gtest.h>

namespace helve::cli {
namespace {

gateway::ServerConfig stdio_server(std::string name) {
  gateway::ServerConfig server{.name = std::move(name)};
  server.settings.command = "npx";
  server.settings.args = {"-y", "a \"server\""};
  server.settings.env = {{"KEY", "${KEY}"}};
  return server;
}

TEST(ConfigEdit, AddsATableAtTheEnd) {
  const auto text = with_server("# mine\nmode = \"ask\"", "config.toml", stdio_server("files"));
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text,
            "# mine\nmode = \"ask\"\n\n[mcp_servers.files]\ncommand = \"npx\"\n"
            "args = [\"-y\", \"a \\\"server\\\"\"]\nenv = { KEY = \"${KEY}\" }\n");
}

TEST(ConfigEdit, QuotesNamesThatNeedIt) {
  const auto text = with_server("", "config.toml", stdio_server("my server"));
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->starts_with("[mcp_servers.\"my server\"]\n"));
}

TEST(ConfigEdit, RefusesANameThatIsTaken) {
  const auto text = with_server("[mcp_servers.a]\ncommand = \"x\"\n", "config.toml", stdio_server("a"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "There is already a server a in config.toml.");
}

TEST(ConfigEdit, RemovesOnlyTheServersTables) {
  const std::string text =
      "# top\nmode = \"ask\"\n\n[mcp_servers.a]\ncommand = \"x\"\n# inside\nargs = [\n  "
      "\"[no.header]\",\n]\n\n"
      "[mcp_servers.a.env]\nK = \"v\"\n\n# about b\n[mcp_servers.b]\ncommand = \"y\"\n\n[log]\nlevel = "
      "\"info\"\n";
  const auto left = without_server(text, "config.toml", "a");
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_EQ(
      *left,
      "# top\nmode = \"ask\"\n\n# about b\n[mcp_servers.b]\ncommand = \"y\"\n\n[log]\nlevel = \"info\"\n");
}

TEST(ConfigEdit, WhatWasAddedCanBeRemoved) {
  const std::string text = "mode = \"ask\"\n";
  const auto added = with_server(text, "config.toml", stdio_server("a"));
  ASSERT_TRUE(added);
  EXPECT_EQ(without_server(*added, "config.toml", "a"), text);
}

TEST(ConfigEdit, LeavesToThePersonWhatIsNotATable) {
  const auto left = without_server("mcp_servers.a.command = \"x\"\nmode = \"ask\"\n", "config.toml", "a");
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().code, ErrorCode::kConflict);
  const auto inline_table =
      with_server("mcp_servers = { a = { command = \"x\" } }\n", "config.toml", stdio_server("b"));
  ASSERT_FALSE(inline_table);
  EXPECT_EQ(inline_table.error().code, ErrorCode::kConflict);
}

TEST(ConfigEdit, SaysThatThereIsNoSuchServer) {
  const auto left = without_server("", "config.toml", "a");
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().message, "There is no server a in config.toml.");
}

}  // namespace
}  // namespace helve::cli
