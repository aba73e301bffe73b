#include "workspace/protected_paths.h"

#include <gtest/gtest.h>

#include "workspace/path_check.h"

namespace helve::workspace {
namespace {

bool covers(const ProtectedPaths& paths, std::string_view path) {
  return paths.find(split_path(path).components) != nullptr;
}

TEST(ProtectedPaths, CoverGitAtAnyDepthAndInAnyCase) {
  const ProtectedPaths paths(default_protected_rules(), std::nullopt);
  for (const std::string_view path :
       {".git", ".git/config", ".git/hooks/not-there-yet", "sub/.git", "a/b/.GIT/x", ".Git"})
    EXPECT_TRUE(covers(paths, path)) << path;
  for (const std::string_view path :
       {".gitignore", ".github/workflows/ci.yml", "git", "a.git", ".gitmodules"})
    EXPECT_FALSE(covers(paths, path)) << path;
}

TEST(ProtectedPaths, CoverHelvesConfiguration) {
  const ProtectedPaths paths(default_protected_rules(), std::nullopt);
  EXPECT_TRUE(covers(paths, ".helve/config.toml"));
  EXPECT_TRUE(covers(paths, "packages/a/.helve/config.toml"));
  EXPECT_FALSE(covers(paths, "helve/config.toml"));
}

TEST(ProtectedPaths, CoverStartUpFilesAtTheTopAndAtHome) {
  const ProtectedPaths project(default_protected_rules(), std::nullopt);
  EXPECT_TRUE(covers(project, ".bashrc"));
  EXPECT_FALSE(covers(project, "dotfiles/.bashrc"));
  EXPECT_FALSE(covers(project, ".ssh/config"));
  const ProtectedPaths home_inside(default_protected_rules(), std::vector<std::string>{"home", "ann"});
  EXPECT_TRUE(covers(home_inside, "home/ann/.zshrc"));
  EXPECT_TRUE(covers(home_inside, "home/ann/.ssh/authorized_keys"));
  EXPECT_FALSE(covers(home_inside, "home/bob/.zshrc"));
  const ProtectedPaths home_is_root(default_protected_rules(), std::vector<std::string>{});
  EXPECT_TRUE(covers(home_is_root, ".local/state/helve/journal"));
}

TEST(ProtectedPaths, CanBeReplaced) {
  EXPECT_FALSE(covers(ProtectedPaths{}, ".git/config"));
  const std::vector<ProtectedRule> own{{"secrets/keys", "mine"}, {"/build", "mine"}};
  const ProtectedPaths paths(own, std::nullopt);
  EXPECT_TRUE(covers(paths, "a/secrets/keys/x"));
  EXPECT_FALSE(covers(paths, "secrets/other"));
  EXPECT_TRUE(covers(paths, "build/x"));
  EXPECT_FALSE(covers(paths, "a/build/x"));
}

TEST(ProtectedPaths, NoFileThatGrantsRightsCanBeWritten) {
  const ProtectedPaths paths(default_protected_rules(), std::nullopt);
  for (const char* path :
       {".mcp.json", "sub/.mcp.json", ".vscode/mcp.json", ".claude/settings.json",
        ".claude/settings.local.json", ".Claude/Skills/x/SKILL.md", ".agents/skills/x/run.sh"})
    EXPECT_TRUE(covers(paths, path)) << path;
  for (const char* path :
       {".vscode/settings.json", ".claude/CLAUDE.md", ".agents/notes.md", "AGENTS.md", "mcp.json"})
    EXPECT_FALSE(covers(paths, path)) << path;
}

}  // namespace
}  // namespace helve::workspace
