#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/test_directory.h"
#include "workspace/near_paths.h"
#include "workspace/root.h"

namespace helve::workspace {
namespace {

using Names = std::vector<std::string>;

class RootWriteTest : public ::testing::Test {
 protected:
  RootWriteTest() {
    outer_.write("secret.txt", "SECRET");
    outer_.write("ws/notes.txt", "notes");
    outer_.write("ws/src/main.cc", "int main() {}");
    outer_.write("ws/.git/config", "[core]");
  }

  [[nodiscard]] Root root(const RootOptions& options = {}) const {
    return std::move(*Root::open(outer_.at("ws"), options));
  }

  TestDirectory outer_;
};

TEST_F(RootWriteTest, FindsThePlaceForANewFile) {
  const Root ws = root();
  const auto target = ws.open_parent("src/./new.cc");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->name, "new.cc");
  EXPECT_EQ(target->path, "src/new.cc");
  EXPECT_FALSE(target->status);
  EXPECT_TRUE(ws.open_parent("notes.txt")->status);
}

TEST_F(RootWriteTest, ResolvesAFinalLinkToItsTarget) {
  outer_.link("src/main.cc", "ws/link");
  outer_.link(outer_.at("ws/src/new.cc"), "ws/dangling");
  outer_.link("../secret.txt", "ws/out");
  outer_.link("../created.txt", "ws/dangling-out");
  const Root ws = root();
  EXPECT_EQ(ws.open_parent("link")->path, "src/main.cc");
  EXPECT_EQ(ws.open_parent("dangling")->path, "src/new.cc");
  EXPECT_FALSE(ws.open_parent("out"));
  EXPECT_EQ(ws.open_parent("dangling-out").error().kind, ErrorKind::kSymlinkNotAllowed);
  const auto kept = ws.open_parent("out", FinalLink::kKeep);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->path, "out");
}

TEST_F(RootWriteTest, RefusesProtectedPathsByTheirResolvedName) {
  outer_.link(".git/config", "ws/innocent");
  outer_.link(".git", "ws/folder");
  outer_.link(".git/hooks/pre-commit", "ws/dangling");
  const Root ws = root();
  for (const std::string_view path :
       {".git/config", ".git/hooks/new", ".GIT/hooks/x", "sub/.git", "innocent", "folder/config", "dangling",
        ".helve/config.toml", ".bashrc", "src/../.git/config"}) {
    const auto target = ws.open_parent(path);
    ASSERT_FALSE(target) << path;
    EXPECT_EQ(target.error().code, ErrorCode::kPermissionDenied) << path;
    EXPECT_EQ(target.error().kind, ErrorKind::kProtectedPath) << path;
  }
  EXPECT_FALSE(ws.make_directories(".git/hooks"));
  EXPECT_FALSE(ws.make_directories("new/.GIT/hooks"));
  EXPECT_FALSE(outer_.exists("ws/new"));
  EXPECT_TRUE(ws.open_read(".git/config"));
  EXPECT_NE(ws.find_protection(".git/config"), nullptr);
  EXPECT_EQ(ws.find_protection("src/main.cc"), nullptr);
  EXPECT_TRUE(root({.protected_rules = {}}).open_parent(".git/config"));
}

TEST_F(RootWriteTest, RefusesHooksAndSettingsOfBareRepositories) {
  for (const std::string git : {"ws/mirror/", "ws/deep/er/x.git/", "ws/mirror/modules/sub/"}) {
    outer_.write(git + "HEAD", "ref: refs/heads/main\n");
    outer_.write(git + "objects/pack/x", "");
    outer_.write(git + "refs/heads/main", "");
    outer_.write(git + "config", "[core]");
  }
  outer_.write("ws/mirror/worktrees/w/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
  outer_.write("ws/mirror/worktrees/w/commondir", "../..\n");
  outer_.link("mirror/config", "ws/innocent");
  outer_.link("mirror", "ws/folder");
  const Root ws = root();
  for (const std::string_view path :
       {"mirror/config", "mirror/hooks/post-update", "mirror/hooks", "mirror/config.worktree",
        "mirror/commondir", "mirror/CONFIG", "deep/er/x.git/config", "mirror/modules/sub/hooks/x",
        "mirror/worktrees/w/commondir", "mirror/worktrees/w/config.worktree", "innocent", "folder/hooks/x"}) {
    const auto target = ws.open_parent(path);
    ASSERT_FALSE(target) << path;
    EXPECT_EQ(target.error().code, ErrorCode::kPermissionDenied) << path;
    EXPECT_EQ(target.error().kind, ErrorKind::kProtectedPath) << path;
  }
  EXPECT_EQ(ws.open_parent("mirror/config").error().message,
            "mirror/config is protected: git runs the hooks and commands configured in this "
            "repository. It is read-only for all tools.");
  EXPECT_FALSE(ws.make_directories("mirror/hooks/x.d"));
  EXPECT_FALSE(outer_.exists("ws/mirror/hooks"));
  // Nothing else in it runs programs, and a worktree may be next to it.
  outer_.write("ws/mirror/main/config/x", "");
  outer_.write("ws/mirror/main/hooks/use_it.ts", "");
  for (const std::string_view path : {"mirror/main/config/x", "mirror/main/hooks/use_it.ts",
                                      "mirror/description", "mirror/refs/heads/main", "mirror/HEAD"})
    EXPECT_TRUE(ws.open_parent(path)) << path;
  EXPECT_TRUE(root({.protected_rules = {}}).open_parent("mirror/config"));
}

TEST_F(RootWriteTest, RefusesToCompleteARepositoryWithHooksOrSettings) {
  const Root ws = root();
  for (const std::string_view path : {"new/config", "new/hooks/x", "new/HEAD", "new/objects/x"})
    EXPECT_EQ(ws.open_parent(path).error().code, ErrorCode::kNotFound) << "there is no such directory";
  outer_.write("ws/a/config", "[core]\n\tfsmonitor = evil\n");
  outer_.write("ws/a/objects/x", "");
  EXPECT_EQ(ws.open_parent("a/HEAD").error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(ws.open_parent("a/HEAD").error().message,
              ::testing::HasSubstr("it would turn its directory into a git repository"));
  outer_.write("ws/b/HEAD", "ref: refs/heads/main\n");
  outer_.write("ws/b/hooks/post-commit", "evil");
  EXPECT_FALSE(ws.make_directories("b/refs/heads"));
  EXPECT_FALSE(ws.make_directories("b/objects"));
  outer_.write("ws/c/HEAD", "ref: refs/heads/main\n");
  EXPECT_FALSE(ws.open_parent("c/commondir")) << "settings from elsewhere";
  EXPECT_TRUE(ws.make_directories("c/refs/heads")) << "a repository without hooks and settings is harmless";
  // Ordinary projects also have such names.
  outer_.write("ws/d/HEAD", "a heading\n");
  outer_.write("ws/d/objects/ball.cc", "");
  outer_.write("ws/e/hooks/use_it.ts", "");
  outer_.write("ws/e/refs/x", "");
  outer_.write("ws/e/config", "");
  for (const std::string_view path :
       {"d/config", "d/objects/cube.cc", "e/hooks/new.ts", "e/refs/y", "e/config"})
    EXPECT_TRUE(ws.open_parent(path)) << path;
}

TEST_F(RootWriteTest, ProtectsTheHomeDirectoryInsideTheWorkspace) {
  const auto whole = Root::open(outer_.path(), {.home_directory = outer_.at("ws")});
  ASSERT_TRUE(whole);
  outer_.make("ws/.ssh");
  EXPECT_FALSE(whole->open_parent("ws/.profile"));
  EXPECT_FALSE(whole->open_parent("ws/.ssh/authorized_keys"));
  EXPECT_TRUE(whole->open_parent("ws/notes.txt"));
}

TEST_F(RootWriteTest, ReportsTheMissingDirectory) {
  const auto target = root().open_parent("new/sub/file.txt");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(target.error().message, "There is no new/sub/file.txt: the directory new does not exist.");
  EXPECT_EQ(root().open_parent("new/").error().message, "new/ is a directory path, not a file path.");
  EXPECT_FALSE(root().open_parent("src"));
}

TEST_F(RootWriteTest, CreatesAndRemovesDirectories) {
  const Root ws = root();
  const auto created = ws.make_directories("src/a/b/c");
  ASSERT_TRUE(created);
  EXPECT_EQ(*created, (Names{"src/a", "src/a/b", "src/a/b/c"}));
  EXPECT_EQ(*ws.make_directories("src/a/b/"), Names{});
  outer_.write("ws/src/a/keep.txt", "");
  ws.remove_directories(*created);
  EXPECT_FALSE(outer_.exists("ws/src/a/b"));
  EXPECT_TRUE(outer_.exists("ws/src/a/keep.txt"));
}

TEST_F(RootWriteTest, CreatesDirectoriesOnlyInside) {
  outer_.link("..", "ws/up");
  outer_.link("../made", "ws/dangling-out");
  outer_.link("src/made", "ws/dangling-in");
  const Root ws = root();
  EXPECT_FALSE(ws.make_directories("up/made"));
  EXPECT_FALSE(ws.make_directories("dangling-out"));
  EXPECT_FALSE(ws.make_directories("../made"));
  EXPECT_FALSE(outer_.exists("made"));
  EXPECT_EQ(*ws.make_directories("dangling-in/x"), (Names{"src/made", "src/made/x"}));
  EXPECT_FALSE(ws.make_directories("notes.txt/x"));
  EXPECT_TRUE(ws.make_directories("."));
}

TEST_F(RootWriteTest, RemovesCreatedDirectoriesOnFailure) {
  const Root ws = root();
  ::chmod(outer_.at("ws/src").c_str(), 0777);
  EXPECT_TRUE(holds_for_ordinary_user([&] {
    const mode_t usual = ::umask(0777);  // so that the second one cannot be created in the first
    const auto made = ws.make_directories("src/x/y");
    ::umask(usual);
    return !made && made.error().code == ErrorCode::kPermissionDenied && !outer_.exists("ws/src/x");
  }));
}

TEST_F(RootWriteTest, MissingFilesSuggestSimilarPaths) {
  outer_.write("ws/src/parser/lexer.cc", "");
  outer_.write("ws/docs/guide.md", "");
  const Root ws = root();
  const auto hint = [&](std::string_view path) { return ws.open_read(path).error().hint; };
  EXPECT_EQ(hint("src/mian.cc"), "Did you mean src/main.cc?");
  EXPECT_EQ(hint("scr/main.cc"), "Did you mean src/main.cc?");
  EXPECT_EQ(hint("lexer.cc"), "Did you mean src/parser/lexer.cc?");
  EXPECT_EQ(hint("ws/src/parser/lexer.cc"), "Did you mean src/parser/lexer.cc?");
  EXPECT_EQ(hint("src/parser/Lexer.cc"), "Did you mean src/parser/lexer.cc?");
  EXPECT_EQ(hint("src/deep/guide.md"), "Did you mean docs/guide.md?");
  EXPECT_EQ(hint("~/guide.txt"), "`~` is not expanded. Use a path relative to the workspace.");
  EXPECT_EQ(hint("zzz"), "Use find or ls to look for it.");
  const auto error = ws.open_read("src/mian.cc").error();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_EQ(error.message, "There is no src/mian.cc.");
  EXPECT_EQ(*error.details.find("nearest"), Json(JsonArray{"src/main.cc"}));
  EXPECT_EQ(ws.not_found("src/mian.cc"), error);
  EXPECT_EQ(ws.stat("src/mian.cc").error().details.find("nearest"), nullptr);
}

TEST_F(RootWriteTest, ReadsALimitedNumberOfEntriesForSuggestions) {
  for (int i = 0; i < 50; ++i) outer_.make("ws/many/d" + std::to_string(i));
  outer_.write("ws/many/d7/x/y/needle.txt", "");
  BaseDirectory base;
  base.fd.reset(::open(outer_.at("ws").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto place =
      walk_beneath(base, split_path("needle.txt"), "needle.txt", Symlinks::kFollow, FinalLink::kFollow);
  ASSERT_TRUE(place);
  EXPECT_EQ(near_paths(base, *place), Names{"many/d7/x/y/needle.txt"});
  EXPECT_EQ(near_paths(base, *place, 20), Names{});
}

TEST_F(RootWriteTest, ShowsPathsRelativeToTheWorkspace) {
  const Root ws = root();
  EXPECT_EQ(ws.relative_name(outer_.at("ws/src/main.cc")), "src/main.cc");
  EXPECT_EQ(ws.relative_name("./src/../notes.txt"), "notes.txt");
  EXPECT_EQ(ws.relative_name(outer_.at("ws")), ".");
  EXPECT_EQ(ws.relative_name("/etc/passwd"), "/etc/passwd");
}

TEST_F(RootWriteTest, OpensDirectoriesForListing) {
  const Root ws = root();
  EXPECT_EQ(ws.open_directory("src/")->path, "src");
  EXPECT_EQ(ws.open_directory(".")->path, ".");
  EXPECT_EQ(ws.open_directory("notes.txt").error().message, "notes.txt is a regular file, not a directory.");
  EXPECT_EQ(ws.open_directory("scr").error().hint, "Did you mean src?");
}

}  // namespace
}  // namespace helve::workspace
