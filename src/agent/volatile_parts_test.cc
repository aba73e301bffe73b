#include "agent/volatile_parts.h"

#include <gtest/gtest.h>

namespace helve::agent {
namespace {

TEST(VolatileParts, ReplacesTimesAndDurations) {
  EXPECT_EQ(without_volatile_parts("took 12 ms, 0.03s, 5 seconds"), "took #, #, #");
  EXPECT_EQ(without_volatile_parts("at 2026-11-15T03:42:07.123Z or 2026-11-15 or 03:42:07"),
            "at # or # or #");
  EXPECT_EQ(without_volatile_parts("tests ran in 1.25s."), "tests ran in #.");
}

TEST(VolatileParts, ReplacesIds) {
  EXPECT_EQ(without_volatile_parts("session bg_k3v9x2m1 of ses_7d9f2k4m8x1q"), "session # of #");
  EXPECT_EQ(without_volatile_parts("commit 3fa94bc01d"), "commit #");
  EXPECT_EQ(without_volatile_parts("123e4567-e89b-12d3-a456-426614174000!"), "#!");
}

TEST(VolatileParts, KeepsEverythingElse) {
  for (const char* text : {"line 12 of 40", "3 tests failed", "parse_json", "deadbeef", "12345678", "v1.2.3",
                           "a 5 step plan", "x_value_12", "5mm", "exit code 1", "größe 12"})
    EXPECT_EQ(without_volatile_parts(text), text);
}

}  // namespace
}  // namespace helve::agent
