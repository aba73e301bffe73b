#include "app/progress_line.h"

#include <gtest/gtest.h>

namespace helve::app {
namespace {

TEST(ProgressText, SaysWhatHowFarAndHowLong) {
  using std::chrono::seconds;
  EXPECT_EQ(progress_text("find", {}, seconds(3)), "find, 3 s");
  EXPECT_EQ(progress_text("grep", {.done = 12'345, .message = "Searching files"}, seconds(2)),
            "Searching files, 12,345, 2 s");
  EXPECT_EQ(progress_text("x", {.done = 5, .total = 2'000, .message = "Reading definitions"}, seconds(11)),
            "Reading definitions, 5 of 2,000, 11 s");
}

}  // namespace
}  // namespace helve::app
