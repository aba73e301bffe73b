#include "patch/patch_any_endings.h"

#include <gtest/gtest.h>

#include "patch/patch_testing.h"

namespace helve::patch {
namespace {

std::string patched(std::string_view old_text, std::string_view body) {
  const auto result = apply_hunks_to_any_lines(old_text, begin_patch(body));
  return result ? result->text : result.error().message;
}

TEST(PatchAnyEndings, KeptLinesKeepTheirEndingsAndNewOnesGetTheFirst) {
  EXPECT_EQ(patched("one\r\ntwo\rthree\nfour\r\n", "@@\n one\n two\n-three\n+THREE\n four\n"),
            "one\r\ntwo\rTHREE\r\nfour\r\n");
  EXPECT_EQ(patched("a\nb\rc\r\nd\r", "@@\n-a\n@@\n c\n+x\n+y\n d\n"), "b\rc\r\nx\ny\nd\r");
  EXPECT_EQ(patched("a\rb\rc", "@@\n a\n-b\n+B\n"), "a\rB\rc");
  EXPECT_EQ(patched("a\rb\r\rc\r", "@@\n-b\n-\n c\n"), "a\rc\r");
}

}  // namespace
}  // namespace helve::patch
