#include "cli/call_hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/strings.h"
#include "core/testing.h"

namespace helve::cli {
namespace {

class CallHintsTest : public testing::RuntimeFixture {
 protected:
  CallHintsTest() : RuntimeFixture(/*built_in_tools=*/true) {}

  // The hint that a user sees.
  std::string hint(Error error, const std::string& tool = "edit", const Json& arguments = JsonObject(),
                   CallForm form = CallForm::kTool) {
    const auto found = runtime().tools().find(tool);
    EXPECT_TRUE(found);
    CallHints((*found)->definition, arguments, form).reword(error);
    return error.hint;
  }
  static Error with(ErrorKind kind, Json details = {}) {
    return {.code = ErrorCode::kPermissionDenied, .details = std::move(details), .kind = kind};
  }
  static Error hinting(std::string hint) { return {.hint = std::move(hint)}; }
};

TEST_F(CallHintsTest, SpeakToTheUserInsteadOfTheModel) {
  EXPECT_EQ(hint(hinting("Ask the user to check lsattr.")), "Check lsattr.");
  EXPECT_EQ(hint(hinting("Use ls, or ask the user to remount it.")), "Use ls, or remount it.");
  EXPECT_EQ(hint(hinting("history lists changes.")), "helve history lists changes.");
  EXPECT_EQ(hint(hinting("Reverse it with history with the action redo.")),
            "Reverse it with helve history --action redo.");
}

TEST_F(CallHintsTest, NameFlagsInsteadOfParametersExceptInHelveCall) {
  EXPECT_EQ(hint(hinting("Set replaceAll, or give more lines.")), "Set --replace-all, or give more lines.");
  EXPECT_EQ(hint(hinting("Set replaceAll.")), "Set --replace-all.");
  EXPECT_EQ(hint(hinting("See replaceAll.txt and \"replaceAll\".")),
            "See replaceAll.txt and \"replaceAll\".");
  EXPECT_EQ(hint(hinting("Set replaceAll."), "edit", JsonObject(), CallForm::kCall), "Set replaceAll.");
}

TEST_F(CallHintsTest, SayHowToAllowWhatWasRefused) {
  EXPECT_EQ(hint(with(ErrorKind::kProtectedPath)), "Make this change yourself, without Helve.");
  EXPECT_THAT(hint(with(ErrorKind::kOutsideBaseDir)), ::testing::HasSubstr("--workspace"));
  EXPECT_EQ(hint(with(ErrorKind::kDeniedByUser)), "");
  EXPECT_EQ(hint(with(ErrorKind::kDeniedByMode)), "helve --mode full edit … runs it.");
  EXPECT_EQ(hint(with(ErrorKind::kDeniedByMode, JsonObject{{"rules", JsonArray{"edit(a)", "edit(b)"}}})),
            "helve --mode full edit … runs it; to allow it always, add edit(a) and edit(b) to the setting "
            "permissions.allow.");
  EXPECT_THAT(hint(with(ErrorKind::kDeniedByRule), "edit", JsonObject{{"path", "it's"}}),
              ::testing::StartsWith(R"(helve explain edit '{"path":"it'\''s"}')"));
  EXPECT_THAT(hint(with(ErrorKind::kDeniedByRule), "write", JsonObject{{"content", std::string(500, 'x')}}),
              ::testing::StartsWith("helve explain write JSON "));
}

TEST_F(CallHintsTest, RecogniseAFileNameGivenAsTextAndANumberGivenAsAPath) {
  directory_.write("text of it", "x");
  const std::string file = directory_.at("text of it");
  EXPECT_EQ(hint(hinting("Shorten it."), "write", JsonObject{{"path", "a"}, {"content", file}}),
            concat("Shorten it. For the text in a file: helve write - <'", file, "'"));
  EXPECT_EQ(hint(hinting(""), "undo", JsonObject{{"path", "1"}}), "To undo one change: helve undo --steps 1");
  EXPECT_EQ(hint(hinting(""), "undo", JsonObject{{"path", "12"}}),
            "To undo 12 changes: helve undo --steps 12");
  EXPECT_EQ(hint(hinting(""), "undo", JsonObject{{"path", "12345"}}), "");
  EXPECT_EQ(hint(hinting(""), "undo", JsonObject{{"path", "1a"}}), "");
}

TEST_F(CallHintsTest, PointToTheHistoryOfAParentDirectory) {
  std::filesystem::create_directories(directory_.at("workspace/inner"));
  ASSERT_TRUE(
      runtime().call({.tool = "write", .arguments = JsonObject{{"path", "a"}, {"content", "x"}}}).ok());
  options_.workspace = directory_.at("workspace/inner");
  restart();
  const auto undo = runtime().tools().find("undo");
  const CallHints hints((*undo)->definition, JsonObject(), CallForm::kTool);
  const Result nothing = fail(ErrorCode::kNotFound, "There is nothing to undo.");
  EXPECT_EQ(hints.parent_directory_hint(nothing, runtime()),
            concat("Helve changed files in ", directory_.at("workspace"),
                   ", a folder above. Look there first: helve --workspace ",
                   shell_quoted(directory_.at("workspace")), " history"));
  EXPECT_EQ(hints.parent_directory_hint(fail(ErrorCode::kConflict, "Changed since."), runtime()), "");
  EXPECT_EQ(hints.parent_directory_hint(Output{.data = JsonObject{{"total", 1}}}, runtime()), "");
  const auto read = runtime().tools().find("read");
  EXPECT_EQ(
      CallHints((*read)->definition, JsonObject(), CallForm::kTool).parent_directory_hint(nothing, runtime()),
      "");
}

}  // namespace
}  // namespace helve::cli
