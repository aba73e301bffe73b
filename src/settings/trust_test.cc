#include "settings/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/test_directory.h"

namespace helve::settings {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TrustTest : public ::testing::Test {
 protected:
  TrustTest() { directory_.make("project"); }

  void put(const std::string& path, const std::string& text) {
    const std::string whole = directory_.at("project/" + path);
    ASSERT_TRUE(make_private_directories(whole.substr(0, whole.rfind('/'))));
    directory_.write("project/" + path, text);
  }
  [[nodiscard]] std::string project() const { return directory_.at("project"); }
  [[nodiscard]] std::string state() const { return directory_.at("state"); }
  void review() {
    ASSERT_TRUE(TrustedFolders(state()).add(project(), read_project_grants(project()).value()));
  }
  [[nodiscard]] ProjectTrust trust() const { return project_trust(state(), project()); }

  TestDirectory directory_;
};

TEST_F(TrustTest, NothingCountsBeforeTheReview) {
  put(".helve/config.toml", "mode = \"full\"\n");
  EXPECT_FALSE(trust().is_trusted());
  EXPECT_THAT(trust().reason, HasSubstr("is not trusted"));
  review();
  ASSERT_TRUE(trust().is_trusted());
  EXPECT_EQ(trust().grants->find(".helve/config.toml")->text, "mode = \"full\"\n");
}

// Each of these grants something, so none may change without a new review.
TEST_F(TrustTest, NoChangedFileKeepsItsTrust) {
  for (const char* path :
       {".helve/config.toml", ".helve/plugins/p/plugin.toml", ".helve/plugins/p/lib.so",
        ".helve/skills/s/SKILL.md", ".mcp.json", ".vscode/mcp.json", ".claude/settings.json",
        ".claude/settings.local.json", ".claude/skills/s/SKILL.md", ".claude/skills/s/run.sh",
        ".agents/skills/s/SKILL.md"}) {
    review();
    put(path, "one");
    EXPECT_THAT(trust().changed, ElementsAre(path)) << "a new file";
    EXPECT_FALSE(trust().is_trusted()) << path;
    review();
    EXPECT_TRUE(trust().is_trusted()) << path;
    put(path, "two");
    EXPECT_THAT(trust().changed, ElementsAre(path)) << "a changed file";
    EXPECT_FALSE(trust().is_trusted()) << path;
    review();
    ASSERT_EQ(::unlink(directory_.at("project/" + std::string(path)).c_str()), 0);
    EXPECT_THAT(trust().changed, ElementsAre(path)) << "a removed file";
    EXPECT_FALSE(trust().is_trusted()) << path;
  }
}

TEST_F(TrustTest, NoHookProgramChangesWithoutAReview) {
  put("scripts/check.sh", "true");
  put("tools/server.js", "1");
  put("unrelated.sh", "1");
  put(".helve/config.toml", "[[hooks.before]]\ncommand = \"./scripts/check.sh --fast\"\n");
  put(".mcp.json",
      R"({"mcpServers": {"a": {"command": "node", "args": ["${workspaceFolder}/tools/server.js"]}}})");
  review();
  put("unrelated.sh", "2");
  EXPECT_TRUE(trust().is_trusted());
  put("scripts/check.sh", "curl evil");
  EXPECT_THAT(trust().changed, ElementsAre("scripts/check.sh"));
  review();
  put("tools/server.js", "2");
  EXPECT_THAT(trust().changed, ElementsAre("tools/server.js"));
}

// However a command of the configuration names its program.
TEST_F(TrustTest, NoProgramThatAConfigurationNamesChangesWithoutAReview) {
  const struct {
    const char* program;
    const char* config;
    const char* text;
  } cases[] = {
      {"tools/server.js", ".mcp.json",
       R"({"mcpServers": {"a": {"command": "node", "args": ["server.js"], "cwd": "tools"}}})"},
      {"tools/server.js", ".mcp.json",
       R"({"mcpServers": {"a": {"command": "node", "args": ["tools\/server.js"]}}})"},
      {"tools/server.js", ".vscode/mcp.json",
       R"({"servers": {"a": {"command": "node", "args": ["t\u006Fols\u002fserver.js"]}}})"},
      {"my tools/run (1).sh", ".mcp.json", R"({"mcpServers": {"a": {"command": "./my tools/run (1).sh"}}})"},
      {"my tools/run.sh", ".helve/config.toml",
       "[[hooks.before]]\ncommand = \"'./my tools/run.sh' --fast\"\n"},
      {"tools/s.sh", ".mcp.json",
       R"({"mcpServers": {"a": {"command": "sh", "args": ["-c", "cd tools && ./s.sh"]}}})"},
      {"tools/deep/s.sh", ".helve/config.toml", "[[hooks.after]]\ncommand = \"cd tools; cd deep; ./s.sh\"\n"},
      {"pkg/mod.py", ".mcp.json",
       R"({"mcpServers": {"a": {"command": "python3", "args": ["-m", "pkg.mod"]}}})"},
      {"pkg/__init__.py", ".helve/config.toml", "[[hooks.before]]\ncommand = \"python -mpkg.mod\"\n"},
      {"pkg/__main__.py", ".helve/config.toml",
       "[mcp_servers.a]\ncommand = \"python\"\nargs = [\"-m\", \"pkg\"]\n"},
      {"tools/index.js", ".mcp.json", R"({"mcpServers": {"a": {"command": "node", "args": ["tools"]}}})"},
      {"tools/server.js", ".mcp.json",
       R"({"mcpServers": {"a": {"command": "node", "args": ["tools/server"]}}})"},
      {"package.json", ".mcp.json", R"({"mcpServers": {"a": {"command": "npm", "args": ["run", "x"]}}})"},
      {"Makefile", ".helve/config.toml", "[[hooks.before]]\ncommand = \"make check\"\n"},
      {"tools/lsp.js", ".helve/config.toml",
       "[lsp.servers.a]\ncommand = \"node\"\nargs = [\"./tools/lsp.js\"]\n"},
  };
  for (const auto& [program, config, text] : cases) {
    put(config, text);
    put(program, "before");
    review();
    EXPECT_TRUE(trust().is_trusted()) << text;
    put(program, "after");
    EXPECT_THAT(trust().changed, ElementsAre(program)) << text;
    std::filesystem::remove_all(project());
    directory_.make("project");
  }
}

TEST_F(TrustTest, NoScriptOfAPackageChangesWithoutAReview) {
  put(".mcp.json", R"({"mcpServers": {"a": {"command": "npm", "args": ["run", "x"]}}})");
  put("package.json", R"({"scripts": {"x": "node ./lib/x.js"}})");
  put("lib/x.js", "1");
  review();
  put("lib/x.js", "2");
  EXPECT_THAT(trust().changed, ElementsAre("lib/x.js"));
}

// A rule names a tool or a command; what it names can change.
TEST_F(TrustTest, ACommandInARuleDoesNotBindTheMakefile) {
  put(".helve/config.toml", "[permissions]\nallow = [\"exec(make:*)\", \"exec(npm test)\"]\n");
  put("Makefile", "1");
  put("package.json", "{}");
  review();
  put("Makefile", "2");
  put("package.json", "{\"a\": 1}");
  EXPECT_TRUE(trust().is_trusted());
}

TEST_F(TrustTest, NoSymlinkLeadsElsewhereWithoutAReview) {
  put("skills/good/SKILL.md", "a");
  put("skills/bad/SKILL.md", "a");
  put(".agents/keep", "");
  const std::string link = directory_.at("project/.agents/skills");
  ASSERT_EQ(::symlink("../skills/good", link.c_str()), 0);
  review();
  EXPECT_TRUE(trust().is_trusted());
  put("skills/good/SKILL.md", "b");
  EXPECT_THAT(trust().changed, ElementsAre(".agents/skills/SKILL.md"));
  review();
  ASSERT_EQ(::unlink(link.c_str()), 0);
  ASSERT_EQ(::symlink("../skills/bad", link.c_str()), 0);
  EXPECT_FALSE(trust().is_trusted());
}

TEST_F(TrustTest, APipeInTheConfigurationDoesNotHang) {
  put(".helve/keep", "");
  ASSERT_EQ(::mkfifo(directory_.at("project/.helve/pipe").c_str(), 0600), 0);
  review();
  EXPECT_TRUE(trust().is_trusted());
}

TEST_F(TrustTest, WhatTheUserReviewedIsKeptPrivately) {
  put(".helve/config.toml", "mode = \"plan\"\n");
  review();
  const TrustedFolders trusted(state());
  EXPECT_THAT(*trusted.list(), ElementsAre(project()));
  EXPECT_EQ(trusted.find(project()).value(), read_project_grants(project()).value());
  struct stat status{};
  ASSERT_EQ(::stat((state() + "/trust.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_TRUE(TrustedFolders(state()).remove(project()).value());
  EXPECT_FALSE(TrustedFolders(state()).remove(project()).value());
  EXPECT_FALSE(trust().is_trusted());
}

TEST_F(TrustTest, ADamagedRecordTrustsNothing) {
  put(".helve/config.toml", "mode = \"plan\"\n");
  review();
  directory_.write("state/trust.json", "{");
  EXPECT_FALSE(trust().is_trusted());
  EXPECT_THAT(trust().reason, HasSubstr("is damaged"));
}

}  // namespace
}  // namespace helve::settings
