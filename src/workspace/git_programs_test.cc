#include "workspace/git_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/strings.h"
#include "base/test_directory.h"
#include "workspace/root.h"

namespace helve::workspace {
namespace {

class GitProgramsTest : public ::testing::Test {
 protected:
  GitProgramsTest() {
    ::setenv("GIT_CONFIG_GLOBAL", directory_.at("user.gitconfig").c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
  }
  ~GitProgramsTest() override {
    ::unsetenv("GIT_CONFIG_GLOBAL");
    ::unsetenv("GIT_CONFIG_NOSYSTEM");
  }

  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(directory_.at(path)).parent_path());
    directory_.write(path, text);
  }
  // Whether a tool may write the path in the workspace.
  [[nodiscard]] bool writable(const std::string& path, const std::string& workspace = "ws") const {
    return Root::open(directory_.at(workspace))->open_parent(path).has_value();
  }
  void make(const std::string& path) { std::filesystem::create_directories(directory_.at(path)); }

  TestDirectory directory_;
};

TEST_F(GitProgramsTest, NoToolWritesHooksThatTheRepositoryNames) {
  put("ws/.git/config", "[core]\n\thooksPath = .githooks\n");
  make("ws/.githooks");
  EXPECT_FALSE(writable(".githooks/pre-commit"));
  EXPECT_FALSE(writable(".GitHooks/pre-commit"));
  EXPECT_TRUE(writable("githooks.md"));
  EXPECT_FALSE(writable(".githooks")) << "a file in place of the directory";
}

TEST_F(GitProgramsTest, NoToolWritesHooksThatTheUserNames) {
  put("ws/.git/HEAD", "ref: refs/heads/main\n");
  make("ws/.githooks");
  EXPECT_TRUE(writable(".githooks/pre-commit"));
  put("user.gitconfig", "[core]\n\thooksPath = .githooks\n");
  EXPECT_FALSE(writable(".githooks/pre-commit"));
  put("user.gitconfig", concat("[include]\n\tpath = more\n"));
  put("more", "[core]\n\thooksPath = .githooks\n");
  EXPECT_FALSE(writable(".githooks/pre-commit")) << "through an include";
}

TEST_F(GitProgramsTest, NoToolWritesIncludedSettings) {
  put("ws/.git/config",
      "[include]\n\tpath = ../shared/gitconfig\n[includeIf \"onbranch:x\"]\n\tpath = ../x.inc\n");
  make("ws/shared");
  EXPECT_FALSE(writable("shared/gitconfig")) << "it does not exist yet";
  EXPECT_FALSE(writable("x.inc"));
  put("ws/shared/gitconfig", "[include]\n\tpath = deeper\n[core]\n\tfsmonitor = tools/watch --now\n");
  make("ws/tools");
  EXPECT_FALSE(writable("shared/deeper"));
  EXPECT_FALSE(writable("tools/watch"));
  EXPECT_TRUE(writable("tools/other"));
}

TEST_F(GitProgramsTest, NoToolWritesProgramsThatSettingsName) {
  put("ws/.git/config",
      "[filter \"x\"]\n\tclean = sh scripts/clean.sh %f\n[alias]\n\tst = !./bin/st\n"
      "[diff \"y\"]\n\ttextconv = run.py\n[remote \"o\"]\n\turl = https://example.org/scripts/a\n");
  for (const char* path : {"scripts", "bin"}) make(concat("ws/", path));
  EXPECT_FALSE(writable("scripts/clean.sh"));
  EXPECT_FALSE(writable("bin/st"));
  EXPECT_TRUE(writable("run.py")) << "a word without a slash that names no file";
  put("ws/run.py", "");
  EXPECT_FALSE(writable("run.py"));
  EXPECT_TRUE(writable("scripts/a"));
}

TEST_F(GitProgramsTest, NoToolWritesHooksOfHusky) {
  put("ws/.git/config", "[core]\n\thooksPath = .husky/_\n");
  make("ws/.husky/_");
  EXPECT_FALSE(writable(".husky/_/pre-commit"));
  EXPECT_FALSE(writable(".husky/pre-commit"));
}

TEST_F(GitProgramsTest, RepositoriesAroundAndBelowCount) {
  put("ws/.git/config", "[core]\n\thooksPath = sub/hooks\n");
  make("ws/sub/hooks");
  EXPECT_FALSE(writable("hooks/pre-commit", "ws/sub")) << "the workspace is in the repository";
  put("ws/inner/.git/config", "[core]\n\thooksPath = hooks\n");
  make("ws/inner/hooks");
  EXPECT_FALSE(writable("inner/hooks/pre-commit"));
  put("elsewhere/worktrees/w/config.worktree", "[core]\n\thooksPath = own\n");
  put("ws/tree/.git", concat("gitdir: ", directory_.at("elsewhere/worktrees/w"), "\n"));
  make("ws/tree/own");
  EXPECT_FALSE(writable("tree/own/pre-commit")) << "a worktree";
}

TEST_F(GitProgramsTest, NoSymlinkHidesThem) {
  put("ws/.git/config", "[core]\n\thooksPath = link\n");
  make("ws/real");
  std::filesystem::create_directory_symlink("real", directory_.at("ws/link"));
  EXPECT_FALSE(writable("link/pre-commit"));
  EXPECT_FALSE(writable("real/pre-commit"));
}

TEST_F(GitProgramsTest, NoToolWritesHooksOfANestedRepository) {
  put("ws/sub/.git/config", "[core]\n\thooksPath = ../hooks\n[alias]\n\tst = !../bin/st\n");
  make("ws/hooks");
  make("ws/bin");
  const auto root =
      Root::open(directory_.at("ws"),
                 {.repositories = [this] { return std::vector<std::string>{directory_.at("ws/sub/.git")}; }});
  EXPECT_FALSE(root->open_parent("hooks/pre-commit"));
  EXPECT_FALSE(root->open_parent("bin/st"));
  EXPECT_TRUE(root->open_parent("bin/other"));
}

TEST_F(GitProgramsTest, NoToolWritesHooksThroughAnotherWorkingTree) {
  put("ws/.git/config", "[core]\n\tworktree = ../tree\n\thooksPath = own\n");
  make("ws/tree/own");
  EXPECT_FALSE(writable("tree/own/pre-commit"));
}

TEST_F(GitProgramsTest, NoToolWritesWhatTheEnvironmentLetsGitRun) {
  put("ws/.git/HEAD", "ref: refs/heads/main\n");
  for (const char* folder : {"ws/own", "ws/tools", "ws/bin"}) make(folder);
  const std::pair<const char*, const char*> variables[] = {
      {"GIT_CONFIG_COUNT", "1"},
      {"GIT_CONFIG_KEY_0", "core.hooksPath"},
      {"GIT_CONFIG_VALUE_0", "own"},
      {"GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='tools/watch'"},
      {"GIT_EDITOR", "bin/edit --wait"}};
  for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  EXPECT_FALSE(writable("own/pre-commit"));
  EXPECT_FALSE(writable("tools/watch"));
  EXPECT_FALSE(writable("bin/edit"));
  ::setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor=tools/old'", 1);
  EXPECT_FALSE(writable("tools/old"));
  for (const auto& [name, value] : variables) ::unsetenv(name);
  EXPECT_TRUE(writable("own/pre-commit"));
}

TEST_F(GitProgramsTest, NoToolWritesProgramsHoweverSettingsNameThem) {
  put("ws/.git/config",
      "[alias]\n\tst = !cd bin && ./st\n\tdeep = \"!f() { cd tools; ./deep \\\"$@\\\"; }; f\"\n"
      "[merge \"m\"]\n\tdriver = tools/c %O %A %B\n[filter \"f\"]\n\tclean = tools/f %f\n"
      "[core]\n\tpager = \"'my tools/less' -R\"\n\teditor = my tools/edit\n\tattributesFile = attrs\n"
      "[submodule \"s\"]\n\tupdate = !tools/up\n[init]\n\ttemplateDir = template\n"
      "[uploadpack]\n\tpackObjectsHook = tools/pack\n[pager]\n\tlog = tools/log\n");
  put("ws/my tools/less", "");
  put("ws/my tools/edit", "");
  for (const char* folder : {"ws/bin", "ws/tools", "ws/template/hooks"}) make(folder);
  for (const char* path : {"bin/st", "tools/deep", "tools/c", "tools/f", "my tools/less", "my tools/edit",
                           "attrs", "tools/up", "template/hooks/pre-commit", "tools/pack", "tools/log"})
    EXPECT_FALSE(writable(path)) << path;
  EXPECT_TRUE(writable("tools/other"));
  EXPECT_TRUE(writable("my tools/other"));
}

TEST_F(GitProgramsTest, SettingsThatIncludeEachOtherEnd) {
  put("ws/.git/config", "[include]\n\tpath = config\n[include]\n\tpath = other\n");
  put("ws/.git/other", "[include]\n\tpath = config\n");
  EXPECT_TRUE(writable("a.txt"));
}

}  // namespace
}  // namespace helve::workspace
