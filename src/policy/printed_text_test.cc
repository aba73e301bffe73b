#include "policy/printed_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace helve::policy {
namespace {

using Words = std::vector<std::string>;

TEST(PrintedText, FormatsLikePrintf) {
  EXPECT_EQ(formatted(Words{"rm %s %s", "-rf", "/"}), "rm -rf /");
  EXPECT_EQ(formatted(Words{"%s\\n", "a", "b"}), "a\nb\n");
  EXPECT_EQ(formatted(Words{"\\162\\155"}), "rm");
  EXPECT_EQ(formatted(Words{"%b", "\\x72m\\x20x"}), "rm x");
  EXPECT_EQ(formatted(Words{"%s", "\\x72"}), "\\x72");
  EXPECT_EQ(formatted(Words{"%5d%%", "3"}), "3%");
  EXPECT_EQ(formatted(Words{"%"}), "");
  EXPECT_EQ(formatted({}), "");
}

TEST(PrintedText, ReplacesEscapes) {
  EXPECT_EQ(without_escapes("a\\tb\\n"), "a\tb\n");
  EXPECT_EQ(without_escapes("\\x72\\x6d\\0155"), "rmm");
  EXPECT_EQ(without_escapes("a\\qb\\"), "a\\qb\\");
}

TEST(PrintedText, AppliesFilters) {
  EXPECT_EQ(filtered(Words{"base64", "-d"}, "cm0gLXJmIC8="), "rm -rf /");
  EXPECT_EQ(filtered(Words{"xxd", "-r", "-p"}, "726d"), "rm");
  EXPECT_EQ(filtered(Words{"rev"}, "mr"), "rm");
  EXPECT_EQ(filtered(Words{"tr", "a-z", "n-za-m"}, "ez"), "rm");
  EXPECT_EQ(filtered(Words{"tr", "-d", "x"}, "xrxm"), "rm");
  EXPECT_EQ(filtered(Words{"sed", "s/a/b/"}, "a"), "b");
  EXPECT_EQ(filtered(Words{"cat"}, "a"), "a");
  EXPECT_EQ(filtered(Words{"base64"}, "a"), std::nullopt);
  EXPECT_EQ(filtered(Words{"gunzip"}, "a"), std::nullopt);
  EXPECT_EQ(filtered({}, "a"), std::nullopt);
}

}  // namespace
}  // namespace helve::policy
