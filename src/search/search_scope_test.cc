#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "search/search_scope.h"

namespace helve::search {
namespace {

bool chooses(const std::vector<std::string>& globs, std::string_view path, std::string_view start = "") {
  const auto choice = FileChoice::compile(globs, start);
  if (!choice) {
    ADD_FAILURE() << choice.error().message;
    return false;
  }
  return choice->chooses(path);
}

TEST(FileChoice, ChoosesEverythingWithoutGlobs) {
  EXPECT_TRUE(chooses({}, "a/b.c"));
  EXPECT_TRUE(chooses({"!*.h"}, "a/b.c"));
}

TEST(FileChoice, NamesMatchAtAnyDepthAndPathsFromTheRoot) {
  EXPECT_TRUE(chooses({"*.c"}, "a/b.c"));
  EXPECT_TRUE(chooses({"a/*.c"}, "a/b.c"));
  EXPECT_TRUE(chooses({"./a/*.c"}, "a/b.c"));
  EXPECT_FALSE(chooses({"a/*.c"}, "x/a/b.c"));
  EXPECT_TRUE(chooses({"**/a/*.c"}, "x/a/b.c"));
}

TEST(FileChoice, ADirectoryMeansEverythingInside) {
  EXPECT_TRUE(chooses({"a/"}, "a/b.c"));
  EXPECT_TRUE(chooses({"a/"}, "x/a/y/b.c"));
  EXPECT_TRUE(chooses({"x/a/"}, "x/a/y/b.c"));
  EXPECT_FALSE(chooses({"x/a/"}, "y/x/a/b.c"));
}

TEST(FileChoice, PathsMayBeRelativeToTheStartOfTheSearch) {
  EXPECT_TRUE(chooses({"core/*.h"}, "src/core/a.h", "src"));
  EXPECT_TRUE(chooses({"src/core/*.h"}, "src/core/a.h", "src"));
  EXPECT_TRUE(chooses({"b/*"}, "odd[1]*/b/c", "odd[1]*"));
}

TEST(FileChoice, ExclusionsArePassedToTheWalker) {
  const std::vector<std::string> globs = {"*.c", "!build/"};
  const auto choice = FileChoice::compile(globs, "");
  ASSERT_TRUE(choice && choice->exclusions() != nullptr);
  EXPECT_EQ(choice->exclusions()->judge("x/build", true), Verdict::kSkip);
  EXPECT_EQ(choice->exclusions()->judge("x/build", false), Verdict::kNone);
}

TEST(FileChoice, RejectsAnEmptyGlob) {
  const std::vector<std::string> globs = {"!"};
  EXPECT_EQ(FileChoice::compile(globs, "").error().message, "The glob \"!\" is empty.");
}

}  // namespace

}  // namespace helve::search
