#include "chat/chat_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/strings.h"
#include "chat/slash_commands.h"

namespace helve::chat {
namespace {

class ChatViewTest : public ::testing::Test {
 protected:
  ChatViewTest()
      : screen_([this](std::string_view bytes) { out_ += bytes; }, {.colours = false}, {60, 20}),
        view_(screen_) {}

  void take(EventBody body) { view_.take(Event{.body = std::move(body)}); }
  void text(TextEvent::Kind kind, std::string content) { take(TextEvent{kind, std::move(content)}); }
  void call(ToolEvent::Kind kind, std::string id, std::string params = {}, std::string response = {},
            std::shared_ptr<const Answer> answer = {}) {
    take(ToolEvent{.kind = kind,
                   .call_id = std::move(id),
                   .tool = "exec",
                   .params = std::move(params),
                   .response = std::move(response),
                   .answer = std::move(answer)});
  }
  std::string taken() { return replace_all(std::exchange(out_, {}), "\r\n", "\n"); }
  std::string rows() {
    std::string all;
    for (const terminal::Line& row : view_.rows(ChatView::Clock::now(), 10)) all += row.plain() + "\n";
    return all;
  }

  std::string out_;
  terminal::Screen screen_;
  ChatView view_;
  using Kind = ToolEvent::Kind;
  using Text = TextEvent::Kind;
};

TEST_F(ChatViewTest, PrintsTextLineByLine) {
  text(Text::kInit, "");
  text(Text::kDelta, "Hello ");
  EXPECT_EQ(taken(), "");
  EXPECT_EQ(rows(), "Hello \n");
  text(Text::kDelta, "you\nand");
  EXPECT_EQ(taken(), "Hello you\n");
  text(Text::kFinal, "Hello you\nand");
  EXPECT_EQ(taken(), "and\n");
  EXPECT_EQ(rows(), "");
}

TEST_F(ChatViewTest, ShowsAReplyWithoutDeltas) {
  text(Text::kInit, "");
  text(Text::kFinal, "All of it.");
  EXPECT_EQ(taken(), "All of it.\n");
}

TEST_F(ChatViewTest, ReportsAReplyThatStartsAgain) {
  text(Text::kInit, "");
  text(Text::kDelta, "Half a");
  text(Text::kInit, "");
  EXPECT_EQ(taken(), "Half a\n\n(The reply was cut off and starts again.)\n");
}

TEST_F(ChatViewTest, ShowsARunningCallThenItsResult) {
  call(Kind::kStart, "1", "{\"command\":\"npm test\"}");
  EXPECT_EQ(rows(), "");  // may still need approval
  call(Kind::kRunning, "1");
  EXPECT_THAT(rows(), ::testing::HasSubstr("exec npm test  0.0 s"));
  call(Kind::kUpdate, "1", "", "PASS a\x1b[2J");
  EXPECT_THAT(rows(), ::testing::HasSubstr("\n  PASS a^[[2J\n"));
  call(Kind::kEnd, "1", "", "Exit code 0 after 2.3 s, 5 lines",
       std::make_shared<const Answer>(Answer{Output{.content = "whole\noutput\n"}, "1", 2300}));
  EXPECT_EQ(taken(), "✓ exec npm test  Exit code 0, 5 lines  2.3 s\n");
  EXPECT_EQ(rows(), "");
  view_.show_last_result();
  EXPECT_EQ(taken(), "\nexec npm test\n  whole\n  output\n");
}

TEST_F(ChatViewTest, ShowsTheEndOfAFailedCommand) {
  call(Kind::kStart, "1", "{\"command\":\"make\"}");
  std::string output;
  for (int i = 1; i <= 9; ++i) output += concat("line ", i, "\n");
  call(Kind::kEnd, "1", "", "Exit code 2",
       std::make_shared<const Answer>(
           Answer{Output{.content = output, .data = JsonObject{{"exitCode", 2}}}, "1", 100}));
  EXPECT_EQ(
      taken(),
      "✗ exec make  Exit code 2  0.1 s\n  … 3 lines above; Ctrl-O shows all\n  line 4\n  line 5\n  line 6\n"
      "  line 7\n  line 8\n  line 9\n");
}

TEST_F(ChatViewTest, ShowsADiffOnce) {
  const auto answer = std::make_shared<const Answer>(
      Answer{Output{.data = JsonObject{{"diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}}}, "1", 0});
  call(Kind::kEnd, "1", "", "x changed", answer);
  EXPECT_EQ(taken(), "✓ exec x changed  0.0 s\n   1 - a\n   1 + b\n");
  view_.note_shown_change("2");
  call(Kind::kEnd, "2", "", "x changed", answer);
  EXPECT_EQ(taken(), "✓ exec x changed  0.0 s\n");
}

TEST_F(ChatViewTest, KeepsTheBeginningOfReasoning) {
  text(Text::kReasoning, "I think\nso");
  EXPECT_EQ(rows(), "  I think\n  so\n");
  text(Text::kDelta, "Yes.\n");
  EXPECT_EQ(taken(), "  I think\n  so\n\nYes.\n");
  text(Text::kReasoning, "1\n2\n3\n4\n5\n6\n7\n8");
  text(Text::kFinal, "");
  EXPECT_THAT(taken(), ::testing::HasSubstr("  6\n  … 2 more lines of reasoning\n"));
}

TEST_F(ChatViewTest, ReportsBackgroundCommandsAndErrors) {
  call(Kind::kUpdate, "gone", "", "The background command cmd_1 has ended: exit code 0");
  EXPECT_EQ(taken(), "The background command cmd_1 has ended: exit code 0\n");
  take(ErrorEvent{.message = "The server is busy.", .retrying = true});
  EXPECT_EQ(taken(), "The server is busy.\nRetrying.\n");
}

TEST(CallLine, SubjectIsTheMostTellingArgument) {
  EXPECT_EQ(call_subject("read", R"({"path":"a.py"})"), "a.py");
  EXPECT_EQ(call_subject("grep", R"({"pattern":"x","path":"src"})"), "x in src");
  EXPECT_EQ(call_subject("apply_patch", R"({"patch":"*** Begin"})"), "");
  EXPECT_EQ(call_subject("other", R"({"n":1})"), R"({"n":1})");
  EXPECT_EQ(call_subject("other", "no json"), "no json");
}

TEST(CallLine, ShowsTheTimeOnANarrowTerminal) {
  const ToolEvent event{
      .kind = ToolEvent::Kind::kError, .tool = "write", .response = "It went wrong for many reasons"};
  const terminal::Line line = ended_line(event, "a/very/long/path/to/a/file.txt", 40);
  EXPECT_LE(line.width(), 40u);
  EXPECT_TRUE(line.plain().ends_with("…  0.0 s")) << line.plain();
  EXPECT_TRUE(line.plain().contains("It went")) << line.plain();
}

TEST(CallLine, DurationsAreShort) {
  EXPECT_EQ(duration_text(std::chrono::milliseconds(340)), "0.3 s");
  EXPECT_EQ(duration_text(std::chrono::milliseconds(9'960)), "10 s");
  EXPECT_EQ(duration_text(std::chrono::milliseconds(185'000)), "3:05");
}

TEST(SlashCommands, AreParsed) {
  const std::vector<std::string> skills{"deploy"};
  const auto tail = parse_slash("/tail cmd_1  50", skills);
  ASSERT_TRUE(tail);
  ASSERT_NE(tail->command, nullptr);
  EXPECT_EQ(tail->command->name, "/tail");
  EXPECT_EQ(tail->words, (std::vector<std::string>{"cmd_1", "50"}));
  EXPECT_EQ(parse_slash("/QUIT", skills)->command->name, "/quit");
  EXPECT_EQ(parse_slash("/exit", skills)->command->name, "/exit");
  EXPECT_FALSE(parse_slash("/deploy staging", skills));  // a skill
  EXPECT_FALSE(parse_slash("/etc/passwd is what?", skills));
  EXPECT_FALSE(parse_slash("fix /help", skills));
}

TEST(SlashCommands, SuggestTheNearestName) {
  const std::vector<std::string> skills{"deploy"};
  EXPECT_EQ(parse_slash("/tial", skills)->error,
            "Unknown command /tial. Did you mean /tail? /help lists all.");
  EXPECT_EQ(parse_slash("/deplo", skills)->error,
            "Unknown command /deplo. Did you mean /deploy? /help lists all.");
  EXPECT_EQ(parse_slash("/xyzzyxyzzy", skills)->error, "Unknown command /xyzzyxyzzy. /help lists all.");
}

TEST(SlashCommands, CompleteToCommandsAndSkills) {
  const std::vector<std::string> skills{"deploy"};
  EXPECT_EQ(complete_slash("/t", skills), (std::vector<std::string>{"/tail", "/tools"}));
  EXPECT_EQ(complete_slash("/d", skills), (std::vector<std::string>{"/diff", "/deploy"}));
  EXPECT_TRUE(complete_slash("t", skills).empty());
  EXPECT_TRUE(complete_slash("/exi", skills).empty());  // an alias
}

TEST(SlashCommands, HaveUniqueNamesAndHandlers) {
  std::set<std::string_view> names;
  for (const SlashCommand& command : slash_commands()) {
    EXPECT_TRUE(command.name.starts_with('/')) << command.name;
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_NE(command.run, nullptr) << command.name;
  }
}

}  // namespace
}  // namespace helve::chat
