#include "chat/approval_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::chat {
namespace {

std::string shown(const std::vector<terminal::Line>& lines, std::size_t columns = 60) {
  std::string out;
  for (const terminal::Line& line : lines)
    for (const terminal::Line& row : terminal::wrap_line(line, columns)) out += concat(row.plain(), "\n");
  return out;
}

PermissionRequest command(std::string text) {
  return {.call_id = "c1",
          .tool = "exec",
          .effect = Effect::kExecute,
          .arguments = JsonObject{{"command", std::move(text)}},
          .explanation = "To see the tests pass.",
          .reason = "mode ask asks before execute",
          .rules = {"exec(npm test:*)"},
          .session_covers = "this command again",
          .workspace = "/w"};
}

TEST(ApprovalCard, ShowsCommandDirectoryReasonAndRule) {
  EXPECT_EQ(shown(approval_card(command("npm test"))),
            "┃ exec wants to execute\n┃ $ npm test\n┃ In: /w\n┃ Why: To see the tests pass.\n"
            "┃ Asked because: mode ask asks before execute\n┃ For this session would allow: this command "
            "again\n┃ Always, in this folder, would allow: exec(npm "
            "test:*)\n");
  PermissionRequest elsewhere = command("npm test");
  elsewhere.arguments["cwd"] = "web";
  EXPECT_THAT(shown(approval_card(elsewhere)), ::testing::HasSubstr("┃ In: web\n"));
}

TEST(ApprovalCard, ShowsAllLinesOfACommand) {
  EXPECT_THAT(shown(approval_card(command("one\ntwo"))), ::testing::HasSubstr("┃ $ one\n┃   two\n"));
  const std::string cut = shown(approval_card(command("1\n2\n3\n4"), 2));
  EXPECT_THAT(cut, ::testing::HasSubstr("┃ $ 1\n┃   2\n┃ … 2 more lines\n"));
}

TEST(ApprovalCard, ShowsAChangeAsADiff) {
  PermissionRequest request{.tool = "edit", .effect = Effect::kWrite, .arguments = JsonObject{{"path", "x"}}};
  EXPECT_EQ(shown(approval_card(request)), "┃ edit wants to write\n┃ {\"path\":\"x\"}\n");
  request.diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a b\n+a c\n";
  EXPECT_EQ(shown(approval_card(request)),
            "┃ edit wants to write\n┃ x\n┃    1 - a b\n┃    1 + a c\n┃ The whole call: {\"path\":\"x\"}\n");
  request.diff_is_whole = true;
  EXPECT_EQ(shown(approval_card(request)), "┃ edit wants to write\n┃ x\n┃    1 - a b\n┃    1 + a c\n");
}

TEST(ApprovalCard, ShowsInputAndBackground) {
  PermissionRequest request = command("sh");
  request.arguments["stdin"] = "rm -r x\n";
  request.arguments["background"] = true;
  const std::string text = shown(approval_card(request));
  EXPECT_THAT(text, ::testing::HasSubstr("┃ Input: \"rm -r x\\n\"\n┃ Runs: in the background"));
}

TEST(ApprovalCard, EscapesControlCharacters) {
  PermissionRequest request = command("ls \x1b[2A\x1b[2K\recho safe");
  request.explanation = "a\nb\x1b[1A";
  request.server = "se\x1brver";
  const std::string text = shown(approval_card(request));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("\x1b")));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("\r")));
  EXPECT_THAT(text, ::testing::HasSubstr("ls ^[[2A^[[2K^Mecho safe"));
}

TEST(ApprovalCard, KeepsTheBarOnANarrowTerminal) {
  const std::string text = shown(approval_card(command("a command that is rather long")), 20);
  for (const std::string_view row : split(std::string_view(text).substr(0, text.size() - 1), '\n'))
    EXPECT_TRUE(row.starts_with("┃")) << row;
}

TEST(ApprovalCard, OffersAlwaysOnlyWithARule) {
  PermissionRequest request = command("x");
  EXPECT_EQ(approval_choices(request).plain(), "[y]es  [s]ession  [a]lways  [n]o  Esc interrupts");
  request.rules.clear();
  EXPECT_EQ(approval_choices(request).plain(), "[y]es  [s]ession  [n]o  Esc interrupts");
}

TEST(QuestionCard, ShowsChoicesAndTheDefault) {
  Question question{.text = "Which?", .choices = {{"a", "A thing"}, {"b", ""}}, .suggested = {"b"}};
  EXPECT_EQ(shown(question_card(question), 80),
            "┃ Which?\n┃ 1) A thing\n┃ 2) b\n┃ Type a number or text. Enter: b. Esc: no answer.\n");
  question.several = true;
  question.own_words = false;
  EXPECT_THAT(shown(question_card(question), 80),
              ::testing::HasSubstr("Type numbers separated by commas. Enter: b."));
}

}  // namespace
}  // namespace helve::chat
