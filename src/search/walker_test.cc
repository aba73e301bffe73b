#include "search/walker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/strings.h"
#include "search/walk_testing.h"

namespace helve::search {
namespace {

TEST(Walker, WalksDepthFirstInByteOrder) {
  const TestDirectory directory;
  for (const char* name : {"b", "a/z", "a/b/c", "a.txt", "a/a", "B", "\xFF", "\xC3\xA9", "a-b"})
    directory.write(name, "");
  EXPECT_EQ(walk_in(directory.path()).paths,
            (Paths{"B", "a/a", "a/b/c", "a/z", "a-b", "a.txt", "b", "\xC3\xA9", "\xFF"}));
}

TEST(Walker, PathsAreRelativeToTheRootEvenIfTheStartIsBelowIt) {
  const TestDirectory directory;
  directory.write("a/b/c", "");
  directory.write("d", "");
  EXPECT_EQ(walk_in(directory.path(), {.start = "a"}).paths, (Paths{"a/b/c"}));
  directory.link("a/b", "link");
  EXPECT_EQ(walk_in(directory.path(), {.start = "link"}).paths, (Paths{"a/b/c"}));
}

TEST(Walker, RejectsAStartThatIsNotADirectory) {
  const TestDirectory directory;
  directory.write("a", "");
  const auto root = workspace::Root::open(directory.path());
  ASSERT_TRUE(root);
  PathCollector collector;
  EXPECT_EQ(walk(*root, {.start = "a"}, collector).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(walk(*root, {.start = "b"}, collector).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(walk(*root, {.start = "../b"}, collector).error().code, ErrorCode::kSecurity);
}

TEST(Walker, HiddenFilesAreAnOptionAndGitDirectoriesAreNot) {
  const TestDirectory directory;
  for (const char* name : {".a", ".b/c", ".git/config", "d", "sub/.git"}) directory.write(name, "");
  EXPECT_EQ(walk_in(directory.path()).paths, (Paths{"d"}));
  EXPECT_EQ(walk_in(directory.path(), {.hidden = true}).paths, (Paths{".a", ".b/c", "d", "sub/.git"}));
  EXPECT_EQ(walk_in(directory.path(), {.start = ".git"}).paths, (Paths{".git/config"}));
}

TEST(Walker, IgnoreFilesAreAnOption) {
  const TestDirectory directory;
  directory.write(".ignore", "a\n");
  directory.write("a", "");
  directory.write("b", "");
  const WalkResult result = walk_in(directory.path());
  EXPECT_EQ(result.paths, (Paths{"b"}));
  EXPECT_EQ(result.report.ignored, 1U);
  EXPECT_EQ(walk_in(directory.path(), {.ignored = true}).paths, (Paths{"a", "b"}));
}

TEST(Walker, AnIncludingGlobOverridesIgnoreFilesAndHiding) {
  const TestDirectory directory;
  directory.write(".ignore", "*.log\nout/\n");
  for (const char* name : {"a.log", ".b.log", "c", "out/d.log"}) directory.write(name, "");
  const auto globs = FileGlobs::compile(std::vector<std::string>{"*.log"});
  ASSERT_TRUE(globs);
  const WalkResult result = walk_in(directory.path(), {.globs = &*globs});
  EXPECT_EQ(result.paths, (Paths{".b.log", "a.log"}));
  EXPECT_EQ(result.report.not_chosen, 2U);  // c and .ignore
  EXPECT_EQ(result.report.ignored, 1U);     // out
}

TEST(Walker, DeliversDirectoriesAndLinksOnRequest) {
  const TestDirectory directory;
  directory.write("a/b", "");
  directory.make("empty");
  directory.link("a", "link");
  const WalkResult plain = walk_in(directory.path());
  EXPECT_EQ(plain.paths, (Paths{"a/b"}));
  EXPECT_EQ(plain.report.links, 1U);
  EXPECT_EQ(walk_in(directory.path(), {.deliver_directories = true, .deliver_links = true}).paths,
            (Paths{"a/", "a/b", "empty/", "link"}));
}

TEST(Walker, StopsAtTheMaximumDepth) {
  const TestDirectory directory;
  for (const char* name : {"a/b/c", "a/d", "e"}) directory.write(name, "");
  EXPECT_EQ(walk_in(directory.path(), {.max_depth = 1}).paths, (Paths{"e"}));
  EXPECT_EQ(walk_in(directory.path(), {.deliver_directories = true, .max_depth = 2}).paths,
            (Paths{"a/", "a/b/", "a/d", "e"}));
  EXPECT_EQ(walk_in(directory.path(), {.max_depth = 0}).paths, (Paths{}));
}

TEST(Walker, NeverOpensFifosAndNeverFollowsLinks) {
  const TestDirectory directory;
  ASSERT_EQ(::mkfifo(directory.at("fifo").c_str(), 0600), 0);
  directory.link(".", "loop");
  directory.link("/", "outside");
  directory.write("a", "");
  const WalkResult result = walk_in(directory.path());
  EXPECT_EQ(result.paths, (Paths{"a"}));
  EXPECT_EQ(result.report.special, 1U);
  EXPECT_EQ(result.report.links, 2U);
  EXPECT_EQ(result.report.directories, 1U);
}

TEST(Walker, SkipsHelvesTemporaryFiles) {
  const TestDirectory directory;
  directory.write(".helve-tmp_x", "");
  directory.write(".x", "");
  EXPECT_EQ(walk_in(directory.path(), {.hidden = true}).paths, (Paths{".x"}));
}

TEST(Walker, ReportsUnreadableDirectories) {
  const TestDirectory directory;
  directory.write("a/x", "");
  directory.write("locked/x", "");
  directory.write("z", "");
  ::chmod(directory.at("locked").c_str(), 0);
  EXPECT_TRUE(holds_for_ordinary_user([&] {
    const WalkResult result = walk_in(directory.path());
    return result.paths == Paths{"a/x", "z"} && result.report.unreadable == 1 &&
           result.report.first_unreadable.at(0).path == "locked" &&
           result.report.first_unreadable.at(0).reason == "Permission denied";
  }));
  ::chmod(directory.at("locked").c_str(), 0755);
}

TEST(Walker, CommitEndsTheWalk) {
  const TestDirectory directory;
  for (int i = 0; i < 300; ++i) directory.write(concat("d", i, "/f"), "");
  const auto root = workspace::Root::open(directory.path());
  ASSERT_TRUE(root);
  PathCollector collector;
  collector.most = 5;
  const auto report = walk(*root, {.environment = IgnoreEnvironment{}}, collector);
  ASSERT_TRUE(report);
  EXPECT_EQ(collector.paths.size(), 5U);
  EXPECT_EQ(report->files, 5U);
  EXPECT_TRUE(report->stopped);
  EXPECT_EQ(collector.paths.front(), "d0/f");
}

TEST(Walker, ShouldStopEndsTheWalk) {
  const TestDirectory directory;
  for (int i = 0; i < 100; ++i) directory.write(concat("d", i, "/f"), "");
  std::atomic<int> asked = 0;
  const WalkResult result =
      walk_in(directory.path(), {.threads = 1, .should_stop = [&] { return ++asked > 10; }});
  EXPECT_TRUE(result.report.stopped);
  EXPECT_LT(result.paths.size(), 10U);
  EXPECT_EQ(asked, 11);
}

TEST(Walker, ResumesAfterAnyPath) {
  const TestDirectory directory;
  for (const char* name : {"a/a", "a/b/c", "a/b/d", "a/z", "a.txt", "b", "c/d/e", "c/f"})
    directory.write(name, "");
  const WalkOptions everything{.deliver_directories = true};
  const Paths all = walk_in(directory.path(), everything).paths;
  ASSERT_EQ(all.size(), 12U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    WalkOptions options = everything;
    options.after = all[i].ends_with('/') ? all[i].substr(0, all[i].size() - 1) : all[i];
    EXPECT_EQ(walk_in(directory.path(), options).paths,
              Paths(all.begin() + static_cast<long>(i) + 1, all.end()))
        << all[i];
  }
  // Paths that do not exist work too. Directories wholly before the path are not read.
  EXPECT_EQ(walk_in(directory.path(), {.after = "a/b/ca"}).paths.front(), "a/b/d");
  EXPECT_EQ(walk_in(directory.path(), {.after = "b/x"}).paths, (Paths{"c/d/e", "c/f"}));
  EXPECT_EQ(walk_in(directory.path(), {.after = "c/d/z"}).report.directories, 3U);
  EXPECT_EQ(walk_in(directory.path(), {.start = "c", .after = "c/d"}).paths, (Paths{"c/d/e", "c/f"}));
  EXPECT_EQ(walk_in(directory.path(), {.start = "c", .after = "b"}).paths, (Paths{"c/d/e", "c/f"}));
  EXPECT_EQ(walk_in(directory.path(), {.start = "a", .after = "b"}).paths, (Paths{}));
}

// Removes paths that exceed the kernel's limit, which std::filesystem cannot do.
class DeepTree {
 public:
  DeepTree(const TestDirectory& directory, int levels) : directory_(directory) {
    UniqueFd fd(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int level = 0; level < levels; ++level) {
      ::close(::openat(fd.get(), "z", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
      ::mkdirat(fd.get(), "d", 0700);
      fd.reset(::openat(fd.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
  }
  ~DeepTree() {
    if (::system(concat("rm -rf ", directory_.path(), "/d").c_str()) != 0) ADD_FAILURE();
  }

 private:
  const TestDirectory& directory_;
};

TEST(Walker, WalksThousandsOfLevelsWithFewDescriptors) {
  const TestDirectory directory;
  constexpr int kLevels = 5000;
  const DeepTree tree(directory, kLevels);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 200;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const WalkResult result = walk_in(directory.path());
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(result.paths.size(), static_cast<std::size_t>(kLevels));
  EXPECT_EQ(result.report.unreadable, 0U);
  EXPECT_EQ(result.paths.back(), "z");
  EXPECT_EQ(result.paths.front().size(), 2U * (kLevels - 1) + 1);
}

TEST(Walker, WalksLargeDirectoriesInOrder) {
  const TestDirectory directory;
  const UniqueFd fd(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  constexpr std::size_t kFiles = 20000;
  constexpr std::size_t kDirectories = 3000;
  for (std::size_t i = 0; i < kFiles; ++i)
    ::close(::openat(fd.get(), concat("file", i).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  for (std::size_t i = 0; i < kDirectories; ++i) {
    const std::string name = concat("d", i);
    ::mkdirat(fd.get(), name.c_str(), 0700);
    ::close(::openat(fd.get(), (name + "/x").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  const WalkResult result = walk_in(directory.path());
  EXPECT_EQ(result.paths.size(), kFiles + kDirectories);
  EXPECT_TRUE(std::ranges::is_sorted(result.paths));
  EXPECT_EQ(result.report.directories, kDirectories + 1);
}

TEST(Walker, ProvidesADescriptorThatOpensTheFiles) {
  struct Reader : PathCollector {
    std::unique_ptr<Findings> visit(unsigned worker, const FileBatch& batch) override {
      for (const FileEntry& entry : batch.files) {
        const UniqueFd fd(::openat(batch.directory_fd, entry.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
        const auto content = read_all(fd.get(), 100);
        if (content && *content == entry.name) ++right;
      }
      return PathCollector::visit(worker, batch);
    }
    std::atomic<std::size_t> right = 0;
  };
  const TestDirectory directory;
  for (int i = 0; i < 100; ++i) directory.write(concat("d", i % 10, "/f", i), concat("f", i));
  const auto root = workspace::Root::open(directory.path());
  ASSERT_TRUE(root);
  Reader reader;
  ASSERT_TRUE(walk(*root, {.environment = IgnoreEnvironment{}}, reader));
  EXPECT_EQ(reader.right, 100U);
}

TEST(Walker, RethrowsExceptionsOfTheVisitor) {
  struct Thrower : PathCollector {
    std::unique_ptr<Findings> visit(unsigned, const FileBatch& batch) override {
      if (batch.directory_path == "d50/") throw std::runtime_error("d50");
      return PathCollector::visit(0, batch);
    }
  };
  const TestDirectory directory;
  for (int i = 0; i < 100; ++i) directory.write(concat("d", i, "/f"), "");
  const auto root = workspace::Root::open(directory.path());
  ASSERT_TRUE(root);
  Thrower thrower;
  EXPECT_THROW((void)walk(*root, {.threads = 4, .environment = IgnoreEnvironment{}}, thrower),
               std::runtime_error);
}

}  // namespace
}  // namespace helve::search
