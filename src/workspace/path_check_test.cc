#include "workspace/path_check.h"

#include <gtest/gtest.h>

namespace helve::workspace {
namespace {

using Components = std::vector<std::string>;

std::string_view kind_of(const Expected<void>& checked) {
  return checked ? "fine" : to_string(checked.error().kind);
}

TEST(PathCheck, RefusesInvalidPaths) {
  using namespace std::string_view_literals;
  const std::string long_name(256, 'a');
  std::string long_path;
  while (long_path.size() < 4096) long_path += "a/";
  for (const std::string_view path : {""sv, "a\0b"sv, "a\nb"sv, "\x1b[31m"sv, "a\x7f"sv,
                                      std::string_view(long_name), std::string_view(long_path)})
    EXPECT_EQ(kind_of(check_path_text(path)), "INVALID_PATH") << printable_path(path);
}

TEST(PathCheck, AcceptsUnusualNames) {
  for (const std::string_view path :
       {".", "/", "a b", "Übung/naïve.txt", "-rf", "~", "a..b", "...", "*?[", "$HOME"})
    EXPECT_EQ(kind_of(check_path_text(path)), "fine") << path;
}

TEST(PathCheck, ReportsThePositionOfANulByte) {
  const auto checked = check_path_text(std::string_view("ab\0c", 4));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "The path \"ab\\x00c\" contains a NUL byte at position 3.");
  EXPECT_EQ(checked.error().code, ErrorCode::kSecurity);
}

TEST(PathCheck, SplitsAtSlashes) {
  EXPECT_EQ(split_path("a//./b"), (PathText{false, false, {"a", "b"}}));
  EXPECT_EQ(split_path("/a/b/"), (PathText{true, true, {"a", "b"}}));
  EXPECT_EQ(split_path("a/."), (PathText{false, true, {"a"}}));
  EXPECT_EQ(split_path("a/.."), (PathText{false, false, {"a", ".."}}));
  EXPECT_EQ(split_path("."), (PathText{false, true, {}}));
  EXPECT_EQ(split_path("/"), (PathText{true, true, {}}));
}

TEST(PathCheck, DetectsParentsThatLeadOut) {
  EXPECT_FALSE(climbs_out(Components{"a", "..", "b"}));
  EXPECT_FALSE(climbs_out(Components{"a", ".."}));
  EXPECT_TRUE(climbs_out(Components{".."}));
  EXPECT_TRUE(climbs_out(Components{"a", "..", "..", "a"}));
}

TEST(PathCheck, ComparesWholeComponents) {
  EXPECT_FALSE(beneath(Components{"ws2", "a"}, Components{"ws"}));
  EXPECT_EQ(beneath(Components{"ws", "a"}, Components{"ws"}), Components{"a"});
  EXPECT_EQ(beneath(Components{"a"}, Components{}), Components{"a"});
}

TEST(PathCheck, EscapesPathsForMessages) {
  EXPECT_EQ(printable_path("a\x1b[31mb\xff"), "a\\x1b[31mb\xEF\xBF\xBD");
  EXPECT_LT(printable_path(std::string(5000, 'x')).size(), 400U);
}

}  // namespace
}  // namespace helve::workspace
