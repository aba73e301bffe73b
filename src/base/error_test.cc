#include "helve/error.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(Error, ShowsItsKindAmongTheDetails) {
  const Error error = fail(ErrorKind::kHardLinked, ErrorCode::kPermissionDenied, "Two names.", "Ask.",
                           JsonObject{{"path", "a"}})
                          .error();
  EXPECT_EQ(to_text(error.to_json()), R"({"code":"PERMISSION_DENIED","message":"Two names.","hint":"Ask.",)"
                                      R"("details":{"kind":"HARD_LINKED","path":"a"}})");
}

TEST(Error, LeavesOutWhatItDoesNotHave) {
  EXPECT_EQ(to_text(fail(ErrorCode::kNotFound, "No a.").error().to_json()),
            R"({"code":"NOT_FOUND","message":"No a."})");
}

}  // namespace
}  // namespace helve
