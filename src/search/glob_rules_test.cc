#include <gtest/gtest.h>

#include "search/glob_rules.h"

namespace helve::search {
namespace {

FileGlobs globs(const std::vector<std::string>& texts, bool ignore_case = false) {
  const GlobOptions options{.ignore_case = ignore_case};
  auto compiled = FileGlobs::compile(texts, options);
  EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message);
  return compiled ? std::move(*compiled) : FileGlobs();
}

TEST(FileGlobs, WithoutGlobsTheVerdictIsNone) {
  EXPECT_EQ(FileGlobs().judge("a", false), Verdict::kNone);
  EXPECT_TRUE(globs({""}).empty());
}

TEST(FileGlobs, AnInclusionExcludesOtherFilesButEntersDirectories) {
  const FileGlobs chosen = globs({"*.cc"});
  EXPECT_EQ(chosen.judge("src/a.cc", false), Verdict::kTake);
  EXPECT_EQ(chosen.judge("src/a.h", false), Verdict::kSkip);
  EXPECT_EQ(chosen.judge("src", true), Verdict::kNone);
}

TEST(FileGlobs, ExclusionsDoNotAffectOtherFiles) {
  const FileGlobs chosen = globs({"!*.h"});
  EXPECT_EQ(chosen.judge("a.h", false), Verdict::kSkip);
  EXPECT_EQ(chosen.judge("a.cc", false), Verdict::kNone);
}

TEST(FileGlobs, TheLastMatchDecides) {
  const FileGlobs chosen = globs({"*.cc", "!*_test.cc", "keep_test.cc"});
  EXPECT_EQ(chosen.judge("a.cc", false), Verdict::kTake);
  EXPECT_EQ(chosen.judge("a_test.cc", false), Verdict::kSkip);
  EXPECT_EQ(chosen.judge("keep_test.cc", false), Verdict::kTake);
}

TEST(FileGlobs, ASlashAnchorsAtTheRoot) {
  const FileGlobs chosen = globs({"src/*.cc", "/top"});
  EXPECT_EQ(chosen.judge("src/a.cc", false), Verdict::kTake);
  EXPECT_EQ(chosen.judge("x/src/a.cc", false), Verdict::kSkip);
  EXPECT_EQ(chosen.judge("top", false), Verdict::kTake);
  EXPECT_EQ(chosen.judge("x/top", false), Verdict::kSkip);
}

TEST(FileGlobs, ATrailingSlashMatchesOnlyDirectories) {
  const FileGlobs chosen = globs({"!build/"});
  EXPECT_EQ(chosen.judge("a/build", true), Verdict::kSkip);
  EXPECT_EQ(chosen.judge("a/build", false), Verdict::kNone);
}

TEST(FileGlobs, CanIgnoreCase) {
  EXPECT_EQ(globs({"*.CC"}, true).judge("a.cc", false), Verdict::kTake);
  EXPECT_EQ(globs({"Makefile"}, true).judge("x/MAKEFILE", false), Verdict::kTake);
}

TEST(FileGlobs, ErrorPositionsReferToTheTextAsWritten) {
  const auto compiled = FileGlobs::compile(std::vector<std::string>{"*.cc", "!/a[b"});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().message, "The glob `!/a[b` is wrong at position 4: this `[` is never closed.");
}

TEST(FileGlobs, NumberSignDoesNotStartAComment) {
  EXPECT_EQ(globs({"#notes"}).judge("#notes", false), Verdict::kTake);
}

}  // namespace

}  // namespace helve::search
