#include "search/ignore_lookup.h"

#include <gtest/gtest.h>

#include "workspace/test_directory.h"

namespace helve::search {
namespace {

TEST(IgnoreLookup, SaysWhatAWalkWouldSay) {
  TestDirectory directory;
  directory.write(".gitignore", "build/\n*.log\n!keep.log\n");
  directory.make(".git");
  directory.write("src/.ignore", "generated\n!.dotted\n");
  directory.make("src/generated");
  const auto root = Root::open(directory.path());
  IgnoreLookup lookup(*root, {});
  EXPECT_TRUE(lookup.leaves_out("build", true));
  EXPECT_FALSE(lookup.leaves_out("build", false));
  EXPECT_TRUE(lookup.leaves_out("src/build", true));
  EXPECT_TRUE(lookup.leaves_out("a.log", false));
  EXPECT_FALSE(lookup.leaves_out("src/keep.log", false));
  EXPECT_TRUE(lookup.leaves_out("src/generated", true));
  EXPECT_FALSE(lookup.leaves_out("generated", true));
  EXPECT_TRUE(lookup.leaves_out(".git", true));
  EXPECT_TRUE(lookup.leaves_out(".hidden", true));
  EXPECT_FALSE(lookup.leaves_out("src/.dotted", true)) << "a rule takes it although it is hidden";
  EXPECT_FALSE(lookup.leaves_out("gone/x", false));
}

}  // namespace
}  // namespace helve::search
