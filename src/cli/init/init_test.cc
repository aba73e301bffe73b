#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/strings.h"
#include "base/test_directory.h"
#include "cli/init/init_plan.h"
#include "cli/init/init_settings.h"
#include "settings/toml.h"

namespace helve::cli {
namespace {

namespace fs = std::filesystem;
using Kind = InitStep::Kind;

class InitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("CODEX_HOME");
    for (const char* part : {"home", "work", "state"}) fs::create_directory(directory_ / part);
    places_ = {.home = directory_ / "home",
               .config_home = directory_ / "home/.config",
               .workspace = directory_ / "work",
               .helve = "helve"};
  }

  McpClient client(const std::string& name) const {
    const auto all = known_clients(places_);
    const auto found = std::ranges::find(all, name, &McpClient::name);
    EXPECT_NE(found, all.end()) << name;
    return *found;
  }
  InitRecords records() const {
    InitRecords all(directory_ / "state");
    EXPECT_TRUE(all.load());
    return all;
  }
  static void put(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string get(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  // Returns the text with Helve added.
  std::string add(const McpClient& to, const std::string& file) {
    const InitStep step = plan_client(to, file, places_);
    EXPECT_EQ(step.kind, Kind::kAdd) << (step.problem ? step.problem->message : step.note);
    InitRecords all = records();
    const auto applied = step.apply(all);
    EXPECT_TRUE(applied) << applied.error().message;
    return get(file);
  }
  void take_out(const McpClient& from, const std::string& file) {
    InitRecords all = records();
    const InitStep step = plan_client_removal(from, file, all);
    EXPECT_EQ(step.kind, Kind::kRemove) << (step.problem ? step.problem->message : step.note);
    const auto applied = step.apply(all);
    EXPECT_TRUE(applied) << applied.error().message;
  }

  TestDirectory temporary_;
  fs::path directory_ = temporary_.path();
  Places places_;
};

TEST_F(InitTest, AModeIsWrittenForEveryClientAndComesOutAgain) {
  for (McpClient& each : known_clients(places_)) {
    EXPECT_EQ(each.can_be_asked, each.name != "gemini" && each.name != "opencode") << each.name;
    start_in_mode(each, Mode::kAcceptEdits);
    const std::string after = add(each, each.user_file);
    EXPECT_THAT(after, ::testing::ContainsRegex("\"--mode\",[ \n]*\"accept-edits\"")) << each.name;
    take_out(each, each.user_file);
  }
}

TEST_F(InitTest, EveryClientsFileComesBackByteForByte) {
  const std::vector<std::string> texts{
      "", "{}", "{ }\n", "{\n  \"z\": 1 // mine\n}\n", "{\r\n\t\"z\": [1, 2,],\r\n}\r\n", "{\"a\":{\"b\":1}}",
  };
  for (const McpClient& each : known_clients(places_)) {
    if (each.format != McpClient::Format::kJson) continue;
    for (const std::string& text : texts) {
      put(each.user_file, text);
      const std::string after = add(each, each.user_file);
      EXPECT_NE(after, text);
      EXPECT_EQ(plan_client(each, each.user_file, places_).kind, Kind::kNothing) << each.name << after;
      take_out(each, each.user_file);
      EXPECT_EQ(get(each.user_file), text) << each.name;
      EXPECT_TRUE(fs::exists(each.user_file));
    }
  }
}

TEST_F(InitTest, CodexComesBackByteForByte) {
  const McpClient codex = client("codex");
  for (const std::string text : {"", "model = \"x\"", "model = \"x\"\n", "# c\r\nmodel = \"x\"\r\n",
                                 "[mcp_servers.other]\ncommand = \"o\"   # mine\n\n\n"}) {
    put(codex.user_file, text);
    const std::string after = add(codex, codex.user_file);
    EXPECT_TRUE(after.starts_with(text));
    const auto parsed = settings::parse_toml(after, "config.toml");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->find("mcp_servers")->find("helve")->find("command")->as_string(), "helve");
    const bool returns = text.find('\r') != std::string::npos;
    EXPECT_EQ(returns, after.contains("[mcp_servers.helve]\r\n")) << after;
    take_out(codex, codex.user_file);
    EXPECT_EQ(get(codex.user_file), text);
  }
}

TEST_F(InitTest, AFileThatWasMadeGoesWithItsDirectories) {
  const McpClient vscode = client("vscode");
  add(vscode, vscode.project_file);
  EXPECT_TRUE(fs::exists(vscode.project_file));
  take_out(vscode, vscode.project_file);
  EXPECT_FALSE(fs::exists(places_.workspace + "/.vscode"));
  // A directory with other files stays.
  add(vscode, vscode.project_file);
  put(places_.workspace + "/.vscode/settings.json", "{}");
  take_out(vscode, vscode.project_file);
  EXPECT_FALSE(fs::exists(vscode.project_file));
  EXPECT_TRUE(fs::exists(places_.workspace + "/.vscode/settings.json"));
}

TEST_F(InitTest, FilesOfTheUserAreForTheUserAlone) {
  const McpClient cursor = client("cursor");
  add(cursor, cursor.user_file);
  EXPECT_EQ(fs::status(cursor.user_file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  put(cursor.project_file, "{}");
  fs::permissions(cursor.project_file, fs::perms(0640));
  add(cursor, cursor.project_file);
  EXPECT_EQ(fs::status(cursor.project_file).permissions(), fs::perms(0640));
  EXPECT_THAT(get(cursor.project_file), ::testing::HasSubstr("${workspaceFolder}"));
}

TEST_F(InitTest, OtherServersThatCameMeanwhileStay) {
  const McpClient gemini = client("gemini");
  put(gemini.user_file, "{\n  \"z\": 1\n}\n");
  std::string text = add(gemini, gemini.user_file);
  text = replace_all(text, "\"mcpServers\": {", "\"mcpServers\": {\n    \"other\": {\"command\": \"o\"},");
  put(gemini.user_file, text);
  take_out(gemini, gemini.user_file);
  EXPECT_EQ(get(gemini.user_file),
            "{\n  \"z\": 1,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"o\"}\n  }\n}\n");
}

TEST_F(InitTest, WhatCannotBeReadIsLeftAlone) {
  for (const McpClient& each : known_clients(places_))
    for (const std::string text : {"{\"a\": ", "= [", "\"\xff"}) {
      put(each.user_file, text);
      const InitStep step = plan_client(each, each.user_file, places_);
      EXPECT_EQ(step.kind, Kind::kRefused) << each.name << " " << text;
      ASSERT_TRUE(step.problem);
      EXPECT_THAT(step.problem->message, ::testing::HasSubstr(each.user_file));
      EXPECT_EQ(plan_client_removal(each, each.user_file, records()).kind, Kind::kRefused);
      EXPECT_EQ(get(each.user_file), text);
    }
}

TEST_F(InitTest, AnotherServerOfThatNameIsNeitherReplacedNorRemoved) {
  const McpClient claude = client("claude");
  const std::string text = R"({"mcpServers": {"helve": {"command": "python3", "args": ["x.py"]}}})";
  put(claude.user_file, text);
  const InitStep step = plan_client(claude, claude.user_file, places_);
  ASSERT_EQ(step.kind, Kind::kRefused);
  EXPECT_TRUE(step.problem->message.ends_with("has a server helve that does not start helve mcp."));
  EXPECT_EQ(plan_client_removal(claude, claude.user_file, records()).kind, Kind::kRefused);
}

TEST_F(InitTest, OneThatWasAddedByHandIsThereAndCanBeRemoved) {
  const McpClient claude = client("claude");
  put(claude.user_file,
      R"({"mcpServers": {"helve": {"command": "/opt/bin/helve", "args": ["mcp", "--mode", "full"]}}})");
  EXPECT_EQ(plan_client(claude, claude.user_file, places_).kind, Kind::kNothing);
  take_out(claude, claude.user_file);
  EXPECT_EQ(get(claude.user_file), R"({"mcpServers": {}})");
}

TEST_F(InitTest, ALinkStaysALink) {
  const McpClient gemini = client("gemini");
  const fs::path real = directory_ / "dotfiles/settings.json";
  put(real, "{}\n");
  fs::create_directories(fs::path(gemini.user_file).parent_path());
  fs::create_symlink(real, gemini.user_file);
  add(gemini, gemini.user_file);
  EXPECT_TRUE(fs::is_symlink(gemini.user_file));
  EXPECT_THAT(get(real), ::testing::HasSubstr("helve"));
  take_out(gemini, gemini.user_file);
  EXPECT_TRUE(fs::is_symlink(gemini.user_file));
  EXPECT_EQ(get(real), "{}\n");
  fs::remove(real);
  const InitStep step = plan_client(gemini, gemini.user_file, places_);
  ASSERT_EQ(step.kind, Kind::kRefused);
  EXPECT_TRUE(step.problem->message.ends_with("is a broken symlink."));
}

TEST_F(InitTest, ALinkedDirectoryIsGoneThrough) {
  const McpClient codex = client("codex");
  fs::create_directories(directory_ / "dotfiles/codex");
  fs::create_directory_symlink(directory_ / "dotfiles/codex", places_.home + "/.codex");
  add(codex, codex.user_file);
  EXPECT_TRUE(fs::exists(directory_ / "dotfiles/codex/config.toml"));
  take_out(codex, codex.user_file);
  EXPECT_FALSE(fs::exists(directory_ / "dotfiles/codex/config.toml"));
  EXPECT_TRUE(fs::is_symlink(places_.home + "/.codex"));
}

TEST_F(InitTest, SomebodyElsesChangeBetweenLookingAndWritingIsNotLost) {
  const McpClient claude = client("claude");
  put(claude.user_file, "{}");
  const InitStep step = plan_client(claude, claude.user_file, places_);
  put(claude.user_file, "{\"now\": 1}");
  InitRecords all = records();
  const auto applied = step.apply(all);
  ASSERT_FALSE(applied);
  EXPECT_TRUE(applied.error().message.ends_with("was changed by another program just now."))
      << applied.error().message;
  EXPECT_EQ(get(claude.user_file), "{\"now\": 1}");
}

TEST_F(InitTest, AFifoIsRefusedWithoutWaiting) {
  const McpClient claude = client("claude");
  ASSERT_EQ(::mkfifo(claude.user_file.c_str(), 0600), 0);
  EXPECT_EQ(plan_client(claude, claude.user_file, places_).kind, Kind::kRefused);
}

TEST_F(InitTest, SecretsInTheLinesAroundAreNotShown) {
  const McpClient gemini = client("gemini");
  put(gemini.user_file, "{\n  \"key\": \"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCD\"\n}\n");
  EXPECT_THAT(plan_client(gemini, gemini.user_file, places_).diff(),
              ::testing::Not(::testing::HasSubstr("abcdefghijklmnop")));
}

TEST_F(InitTest, OpencodeHasHadTwoPlaces) {
  const McpClient opencode = client("opencode");
  put(opencode.user_file, "{\"mcp\": {\"servers\": {}}}");
  EXPECT_EQ(add(opencode, opencode.user_file),
            R"({"mcp": {"servers": {"helve":{"type":"local","command":["helve","mcp"],"enabled":true}}}})");
  put(places_.config_home + "/opencode/opencode.jsonc", "{}");
  EXPECT_TRUE(client("opencode").user_file.ends_with("opencode.jsonc"));
}

TEST_F(InitTest, SettingsAreWrittenOnceAndTakenBackOnlyUnchanged) {
  const std::string file = places_.workspace + "/.helve/config.toml";
  InitRecords all = records();
  ASSERT_TRUE(plan_settings(file, "# a\n").apply(all));
  EXPECT_EQ(plan_settings(file, "# b\n").kind, Kind::kNothing);
  EXPECT_EQ(get(file), "# a\n");
  put(file, "mode = \"plan\"\n");
  EXPECT_EQ(plan_settings_removal(file, records()).kind, Kind::kNothing);
  put(file, "# a\n");
  all = records();
  ASSERT_TRUE(plan_settings_removal(file, all).apply(all));
  EXPECT_FALSE(fs::exists(places_.workspace + "/.helve"));
}

// Every commented-out setting must load and equal the default.
TEST(InitSettings, TheCommentedSettingsAreTheDefaults) {
  const auto defaults = settings::load_config({});
  ASSERT_TRUE(defaults);
  const std::string text = settings_template(*defaults);
  EXPECT_TRUE(settings::parse_toml(text, "config.toml")->as_object().empty());
  std::string settings;
  std::size_t count = 0;
  const std::string shown = text.substr(0, text.find("# [permissions.examples]"));
  for (const std::string_view line : split(shown, '\n')) {
    const bool table = line.starts_with("# [");
    const bool value = line.find(" = ") != std::string_view::npos;
    if (table || value) settings += concat(line.substr(2), "\n");
    count += value ? 1 : 0;
  }
  EXPECT_GE(count, 15u);
  const TestDirectory directory;
  directory.write("config.toml", settings);
  const auto loaded =
      settings::load_config({.user_file = directory.at("config.toml"), .user_file_required = true});
  ASSERT_TRUE(loaded) << loaded.error().message << "\n" << settings;
  std::size_t set = 0;
  for (std::size_t i = 0; i < loaded->entries.size(); ++i) {
    EXPECT_EQ(loaded->entries[i].value, defaults->entries[i].value) << loaded->entries[i].key;
    set += loaded->entries[i].origin == "default" ? 0 : 1;
  }
  EXPECT_EQ(set, count);
}

}  // namespace
}  // namespace helve::cli
