#include "workspace/root.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/test_directory.h"

namespace helve::workspace {
namespace {

// ws/ is the workspace; next to it are a directory with the same prefix and a secret.
class RootTest : public ::testing::Test {
 protected:
  RootTest() {
    outer_.write("secret.txt", "SECRET");
    outer_.write("ws-evil/secret.txt", "SECRET");
    outer_.write("ws/notes.txt", "notes");
    outer_.write("ws/src/main.cc", "int main() {}");
    outer_.write("ws/src/deep/er/file.txt", "deep");
  }

  [[nodiscard]] Root root(const RootOptions& options = {}) const {
    auto opened = Root::open(outer_.at("ws"), options);
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }

  static std::string content(const Root& root, std::string_view path) {
    const auto file = root.open_read(path);
    if (!file) {
      const std::string_view kind = to_string(file.error().kind);
      return std::string(kind.empty() ? to_string(file.error().code) : kind);
    }
    return read_content(*file, 1 << 20).value_or("unreadable");
  }

  TestDirectory outer_;
};

TEST_F(RootTest, ReadsRelativeAndAbsolutePaths) {
  const Root ws = root();
  EXPECT_EQ(content(ws, "notes.txt"), "notes");
  EXPECT_EQ(content(ws, "./src//deep/./er/file.txt"), "deep");
  EXPECT_EQ(content(ws, "src/../notes.txt"), "notes");
  EXPECT_EQ(content(ws, outer_.at("ws/notes.txt")), "notes");
  EXPECT_EQ(content(ws, outer_.at("ws/../ws/notes.txt")), "notes");
  EXPECT_EQ(ws.open_read("src/deep/../main.cc")->path, "src/main.cc");
}

TEST_F(RootTest, AcceptsThePathGivenAtOpenAsPrefix) {
  outer_.link(outer_.at("ws"), "alias");
  const auto ws = Root::open(outer_.at("alias"));
  ASSERT_TRUE(ws);
  EXPECT_EQ(content(*ws, outer_.at("alias/notes.txt")), "notes");
  EXPECT_EQ(content(*ws, outer_.at("ws/notes.txt")), "notes");
  EXPECT_EQ(ws->relative_name(outer_.at("alias/src/./main.cc")), "src/main.cc");
}

TEST_F(RootTest, RefusesEveryKnownEscape) {
  outer_.link("../secret.txt", "ws/out");
  outer_.link(outer_.at("secret.txt"), "ws/absolute-out");
  outer_.link("..", "ws/up");
  outer_.link("/", "ws/slash");
  outer_.link("out", "ws/chain");
  outer_.link("up/ws-evil", "ws/chain-directory");
  outer_.link("../not-there", "ws/dangling");
  outer_.link("/proc/self/root/etc/passwd", "ws/magic");
  outer_.link("loop-b", "ws/loop-a");
  outer_.link("loop-a", "ws/loop-b");
  outer_.link("../notes.txt", "ws/src/sideways");
  outer_.link("src", "ws/other");
  const std::string sibling = outer_.at("ws-evil/secret.txt");
  const std::string behind = outer_.at("ws/../secret.txt");
  const std::string deep_behind = outer_.at("ws/src/../../secret.txt");
  const std::string through_proc = "/proc/self/root" + outer_.at("secret.txt");
  const struct {
    std::string_view path;
    std::string_view outcome;
  } table[] = {
      {"../secret.txt", "PATH_TRAVERSAL"},
      {"src/../../secret.txt", "PATH_TRAVERSAL"},
      {"not-there/../../secret.txt", "PATH_TRAVERSAL"},
      {"..", "PATH_TRAVERSAL"},
      {"../ws/notes.txt", "PATH_TRAVERSAL"},
      {"./../secret.txt", "PATH_TRAVERSAL"},
      {behind, "PATH_TRAVERSAL"},
      {deep_behind, "PATH_TRAVERSAL"},
      {"src/other-name/../../../secret.txt", "PATH_TRAVERSAL"},
      {"src/sideways/../../x", "NOT_FOUND"},
      {"src/deep/../../other/../../secret.txt", "PATH_TRAVERSAL"},
      {sibling, "OUTSIDE_BASE_DIR"},
      {"/etc/passwd", "OUTSIDE_BASE_DIR"},
      {"/", "OUTSIDE_BASE_DIR"},
      {through_proc, "OUTSIDE_BASE_DIR"},
      {"/proc/self/cwd", "OUTSIDE_BASE_DIR"},
      {"out", "SYMLINK_NOT_ALLOWED"},
      {"absolute-out", "SYMLINK_NOT_ALLOWED"},
      {"up/secret.txt", "SYMLINK_NOT_ALLOWED"},
      {"up/ws-evil/secret.txt", "SYMLINK_NOT_ALLOWED"},
      {"slash/etc/passwd", "SYMLINK_NOT_ALLOWED"},
      {"chain", "SYMLINK_NOT_ALLOWED"},
      {"chain-directory/secret.txt", "SYMLINK_NOT_ALLOWED"},
      {"dangling", "SYMLINK_NOT_ALLOWED"},
      {"magic", "SYMLINK_NOT_ALLOWED"},
      {"loop-a", "SYMLINK_NOT_ALLOWED"},
      {"up/../secret.txt", "SYMLINK_NOT_ALLOWED"},
      {"up/", "SYMLINK_NOT_ALLOWED"},
      {"", "INVALID_PATH"},
      {std::string_view("notes.txt\0.png", 14), "INVALID_PATH"},
      {"notes.txt/", "NOT_FOUND"},
      {"notes.txt/../notes.txt", "NOT_FOUND"},
      {"not-there", "NOT_FOUND"},
      {"src", "INVALID_ARGUMENT"},
      {".", "INVALID_ARGUMENT"},
  };
  const Root ws = root();
  for (const auto& row : table) EXPECT_EQ(content(ws, row.path), row.outcome) << printable_path(row.path);
  for (const auto& row : table) {
    const auto target = ws.open_parent(row.path);
    const bool may_be_created = row.path == "not-there";
    EXPECT_EQ(target.has_value(), may_be_created) << printable_path(row.path);
    if (row.outcome.find('_') == std::string_view::npos || row.outcome.starts_with("NOT") ||
        row.outcome == "INVALID_ARGUMENT")
      continue;
    EXPECT_FALSE(ws.stat(row.path)) << printable_path(row.path);
    EXPECT_FALSE(ws.open_directory(row.path)) << printable_path(row.path);
    EXPECT_FALSE(ws.make_directories(std::string(row.path) + "/new")) << printable_path(row.path);
  }
  EXPECT_EQ(outer_.read("secret.txt"), "SECRET");
  EXPECT_FALSE(outer_.exists("not-there"));
  EXPECT_FALSE(outer_.exists("ws-evil/new"));
}

TEST_F(RootTest, ParentAfterALinkResolvesAsInTheKernel) {
  outer_.link("src/deep/er", "ws/shortcut");
  const Root ws = root();
  outer_.write("ws/src/deep/beside.txt", "beside");
  EXPECT_EQ(content(ws, "shortcut/../beside.txt"), "beside");
  EXPECT_EQ(ws.open_read("shortcut/../beside.txt")->path, "src/deep/beside.txt");
}

TEST_F(RootTest, FollowsLinksThatStayInside) {
  outer_.link("src/main.cc", "ws/relative");
  outer_.link(outer_.at("ws/src/main.cc"), "ws/absolute");
  outer_.link(outer_.at("ws"), "ws/self");
  outer_.link("../ws/src/main.cc", "ws/out-and-back");
  outer_.link("../../ws/src", "ws/src/round");
  const Root ws = root();
  for (const std::string_view path :
       {"relative", "absolute", "self/absolute", "self/self/relative", "out-and-back", "src/round/main.cc"}) {
    EXPECT_EQ(content(ws, path), "int main() {}") << path;
    EXPECT_EQ(ws.open_read(path)->path, "src/main.cc") << path;
  }
}

TEST_F(RootTest, DenySettingRefusesAllLinksButShowsThem) {
  outer_.link("src/main.cc", "ws/relative");
  outer_.link("src", "ws/directory");
  const Root ws = root({.symlinks = Symlinks::kDeny});
  EXPECT_EQ(content(ws, "relative"), "SYMLINK_NOT_ALLOWED");
  EXPECT_EQ(content(ws, "directory/main.cc"), "SYMLINK_NOT_ALLOWED");
  EXPECT_EQ(content(ws, "src/main.cc"), "int main() {}");
  EXPECT_THAT(ws.open_read("directory/main.cc").error().message,
              ::testing::HasSubstr("directory is a symlink"));
  const auto link = ws.stat("relative", FinalLink::kKeep);
  ASSERT_TRUE(link);
  EXPECT_TRUE(S_ISLNK(link->status.st_mode));
  EXPECT_FALSE(ws.open_parent("relative"));
}

TEST_F(RootTest, SettingRefusesEveryParentComponent) {
  const Root ws = root({.refuse_parent_components = true});
  EXPECT_EQ(content(ws, "src/../notes.txt"), "PATH_TRAVERSAL");
  EXPECT_EQ(content(ws, outer_.at("ws/src/../notes.txt")), "PATH_TRAVERSAL");
  EXPECT_EQ(content(ws, "notes.txt"), "notes");
}

TEST_F(RootTest, IsNotLedElsewhereWhenItsPathIsSwapped) {
  const Root ws = root();
  std::filesystem::rename(outer_.at("ws"), outer_.at("moved"));
  outer_.link("ws-evil", "ws");
  EXPECT_EQ(content(ws, "notes.txt"), "UNAVAILABLE");
  EXPECT_EQ(content(ws, "secret.txt"), "UNAVAILABLE");
  EXPECT_EQ(content(ws, outer_.at("ws/secret.txt")), "UNAVAILABLE");
}

TEST_F(RootTest, ReadsHardLinks) {
  std::filesystem::create_hard_link(outer_.at("ws/notes.txt"), outer_.at("ws/hard"));
  EXPECT_EQ(content(root(), "hard"), "notes");
  EXPECT_EQ(root().open_parent("hard")->status->st_nlink, 2U);
}

TEST_F(RootTest, RefusesSpecialFilesWithoutBlocking) {
  ASSERT_EQ(::mkfifo(outer_.at("ws/pipe").c_str(), 0600), 0);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  outer_.at("ws/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const Root ws = root();
  const auto pipe = ws.open_read("pipe");
  ASSERT_FALSE(pipe);
  EXPECT_EQ(pipe.error().message, "pipe is a FIFO (named pipe), not a regular file.");
  EXPECT_EQ(pipe.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(content(ws, "socket"), "INVALID_ARGUMENT");
  EXPECT_FALSE(ws.open_parent("pipe"));
  EXPECT_EQ(ws.open_read("src").error().message, "src is a directory, not a file.");
  const auto devices = Root::open("/dev");
  EXPECT_EQ(content(*devices, "zero"), "INVALID_ARGUMENT");
}

TEST_F(RootTest, BoundsKernelFilesWithoutASize) {
  const auto proc = Root::open("/proc");
  ASSERT_TRUE(proc);
  const auto file = proc->open_read("self/status");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->size(), 0U);
  EXPECT_THAT(*read_content(*file, 1 << 20), ::testing::HasSubstr("Pid:"));
  const auto bounded = read_content(*file, 10);
  ASSERT_FALSE(bounded);
  EXPECT_EQ(bounded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read_part(*file, 0, 5)->size(), 5U);
}

TEST_F(RootTest, ReportsMissingPermissions) {
  ::chmod(outer_.at("ws/notes.txt").c_str(), 0);
  const Root ws = root();
  EXPECT_TRUE(holds_for_ordinary_user([&] {
    const auto file = ws.open_read("notes.txt");
    return !file && file.error().code == ErrorCode::kPermissionDenied &&
           file.error().message == "The operating system denies access to notes.txt (Permission denied).";
  }));
}

TEST_F(RootTest, ReadsExtraRootsButNeverWritesThem) {
  const TestDirectory output;
  output.write("call-1.txt", "long output");
  const Root ws = root({.read_only_roots = {output.path()}});
  EXPECT_EQ(content(ws, output.at("call-1.txt")), "long output");
  EXPECT_EQ(ws.open_read(output.at("call-1.txt"))->path, output.at("call-1.txt"));
  const auto target = ws.open_parent(output.at("call-1.txt"));
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().kind, ErrorKind::kOutsideBaseDir);
  EXPECT_FALSE(ws.make_directories(output.at("new")));
  EXPECT_FALSE(output.exists("new"));
  output.link("/etc/passwd", "escape");
  EXPECT_EQ(content(ws, output.at("escape")), "SYMLINK_NOT_ALLOWED");
  EXPECT_FALSE(Root::open(outer_.at("ws"), {.read_only_roots = {"relative"}}));
}

TEST_F(RootTest, ReportsProblemsOfTheRootItself) {
  const auto missing = Root::open(outer_.at("nowhere"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(Root::open(outer_.at("secret.txt")));
  EXPECT_FALSE(Root::open(""));
}

TEST_F(RootTest, WholeFileSystemAsRootHasNoOutside) {
  const auto slash = Root::open("/");
  ASSERT_TRUE(slash);
  EXPECT_EQ(slash->path(), "/");
  EXPECT_EQ(content(*slash, outer_.at("secret.txt")), "SECRET");
  outer_.link("../../../../../../../../../../secret-not-there", "ws/far-up");
  EXPECT_EQ(content(*slash, outer_.at("ws/far-up")), "NOT_FOUND");
}

TEST_F(RootTest, IsSafeWithoutOpenat2) {
  outer_.link("src", "ws/link");
  const Root ws = root();
  const auto open_errno = [&](const std::string& path, int flags) {
    const UniqueFd fd(open_plain_stepwise(ws.fd(), path, flags));
    return fd ? 0 : errno;
  };
  EXPECT_EQ(open_errno("src/main.cc", O_RDONLY), 0);
  EXPECT_EQ(open_errno("src/deep/er", O_PATH | O_DIRECTORY), 0);
  EXPECT_EQ(open_errno(".", O_PATH | O_DIRECTORY), 0);
  EXPECT_EQ(open_errno("link", O_RDONLY), ELOOP);
  EXPECT_EQ(open_errno("link/main.cc", O_RDONLY), ELOOP);
  EXPECT_EQ(open_errno("link", O_PATH | O_NOFOLLOW), 0);
  EXPECT_EQ(open_errno("link", O_PATH | O_DIRECTORY), ELOOP);
  EXPECT_EQ(open_errno("notes.txt/x", O_RDONLY), ENOTDIR);
  EXPECT_EQ(open_errno("notes.txt", O_PATH | O_DIRECTORY), ENOTDIR);
  EXPECT_EQ(open_errno("gone/x", O_RDONLY), ENOENT);
}

}  // namespace
}  // namespace helve::workspace
