#include "terminal/line_editor.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/strings.h"
#include "base/test_directory.h"
#include "terminal/history.h"

namespace helve::terminal {
namespace {

using Outcome = LineEditor::Outcome;

// Presses the keys and returns the text with | at the cursor.
std::string typed(LineEditor& editor, std::string_view bytes) {
  KeyReader reader;
  for (const Key& key : reader.feed(bytes)) static_cast<void>(editor.press(key));
  for (const Key& key : reader.flush()) static_cast<void>(editor.press(key));
  std::string text = editor.text();
  return text.insert(editor.cursor(), "|");
}
std::string typed(std::string_view bytes) {
  LineEditor editor;
  return typed(editor, bytes);
}

std::vector<std::string> rows(const LineEditor::View& view) {
  std::vector<std::string> rows;
  for (const Line& row : view.rows) rows.push_back(row.plain());
  return rows;
}
using Rows = std::vector<std::string>;

TEST(LineEditor, InsertsAndErases) {
  EXPECT_EQ(typed("hello"), "hello|");
  EXPECT_EQ(typed("helo\x1b[Dl"), "hell|o");
  EXPECT_EQ(typed("abc\x1b[D\x7f"), "a|c");
  EXPECT_EQ(typed("abc\x01\x1b[3~"), "|bc");
  EXPECT_EQ(typed("\x7f"), "|");
}

TEST(LineEditor, MovesByCharactersWordsAndLines) {
  EXPECT_EQ(typed("one two\x01"), "|one two");
  EXPECT_EQ(typed("one two\x1b"
                  "b"),
            "one |two");
  EXPECT_EQ(typed("one two\x01\x1b"
                  "f"),
            "one| two");
  EXPECT_EQ(typed("a-b_c\x1b[1;5D"), "a-|b_c");
  EXPECT_EQ(typed("ab\ncd\x01"), "ab\n|cd");
  EXPECT_EQ(typed("ab\ncd\x01\x1b[D\x05"), "ab|\ncd");
}

TEST(LineEditor, ErasesWordsAndLinesAndPutsThemBack) {
  EXPECT_EQ(typed("one two  \x17"), "one |");
  EXPECT_EQ(typed("one two\x15"), "|");
  EXPECT_EQ(typed("one two\x1b"
                  "b\x0b"),
            "one |");
  EXPECT_EQ(typed("one two\x17\x01\x19 "), "two |one ");
  EXPECT_EQ(typed("one two\x01\x1b"
                  "d"),
            "| two");
}

TEST(LineEditor, TreatsWideAndCombinedCharactersAsOne) {
  EXPECT_EQ(typed("漢字\x1b[D"), "漢|字");
  EXPECT_EQ(typed("e\u0301\x7f"), "|");
  EXPECT_EQ(typed("xe\u0301\x1b[D"), "x|e\u0301");
}

TEST(LineEditor, ReportsTheOutcomeOfEachKey) {
  LineEditor editor;
  EXPECT_EQ(editor.press({Key::Kind::kInterrupt}), Outcome::kInterrupt);
  EXPECT_EQ(editor.press({Key::Kind::kEndOfInput}), Outcome::kLeave);
  EXPECT_EQ(editor.press({Key::Kind::kText, "ab"}), Outcome::kChanged);
  EXPECT_EQ(editor.press({Key::Kind::kEndOfInput}), Outcome::kNothing);  // nothing after the cursor
  EXPECT_EQ(editor.press({Key::Kind::kRight}), Outcome::kNothing);
  EXPECT_EQ(editor.press({Key::Kind::kInterrupt}), Outcome::kChanged);  // the first one clears the text
  EXPECT_EQ(editor.text(), "");
  static_cast<void>(editor.press({Key::Kind::kText, "said"}));
  EXPECT_EQ(editor.press({Key::Kind::kEnter}), Outcome::kSubmitted);
  EXPECT_EQ(editor.take(), "said");
  EXPECT_EQ(editor.text(), "");
}

TEST(LineEditor, EditsSeveralLines) {
  EXPECT_EQ(typed("\x1b[200~one\rtwo\x1b[201~"), "one\ntwo|");
  EXPECT_EQ(typed("one\x1b\rtwo"), "one\ntwo|");
  EXPECT_EQ(typed("one\\\rtwo"), "one\ntwo|");
  EXPECT_EQ(typed("abcd\nef\x1b[A"), "ab|cd\nef");
  EXPECT_EQ(typed("ab\ncdef\x1b[A"), "ab|\ncdef");
  EXPECT_EQ(typed("ab\ncdef\x01\x1b[A\x1b[B"), "ab\n|cdef");
}

TEST(LineEditor, GoesThroughTheHistoryAndBackToTheDraft) {
  LineEditor editor;
  editor.set_history({"first", "second"});
  EXPECT_EQ(typed(editor, "dra\x1b[A"), "second|");
  EXPECT_EQ(typed(editor, "\x1b[A"), "first|");
  EXPECT_EQ(typed(editor, "\x1b[A"), "first|");
  EXPECT_EQ(typed(editor, "\x1b[B\x1b[B"), "dra|");
  EXPECT_EQ(typed(editor, "\x1b[B"), "dra|");
  static_cast<void>(editor.take());
  editor.remember("third");
  editor.remember("third");
  EXPECT_EQ(typed(editor, "\x1b[A\x1b[A"), "second|");
}

TEST(LineEditor, SearchesTheHistory) {
  LineEditor editor;
  editor.set_history({"fix the test", "run the tests", "undo"});
  EXPECT_EQ(typed(editor, "\x12the"), "run the tests|");
  EXPECT_EQ(rows(editor.view(Line("> "), 40, 3)), (Rows{"search the: run the tests"}));
  EXPECT_EQ(typed(editor, "\x12"), "fix the test|");
  EXPECT_EQ(typed(editor, "\x05!"), "fix the test!|");  // another key accepts the match
  static_cast<void>(editor.take());
  EXPECT_EQ(typed(editor, "draft\x12undo\x03"), "draft|");
}

TEST(LineEditor, TabCompletes) {
  LineEditor editor([](std::string_view text) {
    std::vector<std::string> fitting;
    for (const char* word : {"/tail", "/tools", "/quit"})
      if (std::string_view(word).starts_with(text)) fitting.emplace_back(word);
    return fitting;
  });
  EXPECT_EQ(typed(editor, "/q\t"), "/quit |");
  EXPECT_EQ(typed(editor, "\x15/t\t"), "/t|");  // the candidates differ from here on
  EXPECT_EQ(typed(editor, "o\t"), "/tools |");
  EXPECT_EQ(typed(editor, "\x15x\t"), "x|");
}

TEST(LineEditor, WrapsLongText) {
  LineEditor editor;
  EXPECT_EQ(typed(editor, "abcdefghij"), "abcdefghij|");
  LineEditor::View view = editor.view(Line("> "), 8, 10);
  EXPECT_EQ(rows(view), (Rows{"> abcde", "  fghij"}));
  EXPECT_EQ(view.cursor_row, 1u);
  EXPECT_EQ(view.cursor_column, 7u);
  static_cast<void>(typed(editor, "\x01"));
  view = editor.view(Line("> "), 8, 10);
  EXPECT_EQ(view.cursor_row, 0u);
  EXPECT_EQ(view.cursor_column, 2u);
}

TEST(LineEditor, DoesNotCutWideCharactersAtTheEdge) {
  LineEditor editor;
  static_cast<void>(typed(editor, "abcd漢x"));
  const LineEditor::View view = editor.view(Line("> "), 8, 10);
  EXPECT_EQ(rows(view), (Rows{"> abcd", "  漢x"}));
  EXPECT_EQ(view.cursor_column, 5u);
}

TEST(LineEditor, ShowsTheRowsAroundTheCursor) {
  LineEditor editor;
  static_cast<void>(typed(editor, "1\n2\n3\n4\n5"));
  LineEditor::View view = editor.view(Line("> "), 20, 3);
  EXPECT_EQ(rows(view), (Rows{"  3", "  4", "  5"}));
  EXPECT_EQ(view.cursor_row, 2u);
  static_cast<void>(typed(editor, "\x1b[A\x1b[A\x1b[A\x1b[A"));
  view = editor.view(Line("> "), 20, 3);
  EXPECT_EQ(rows(view), (Rows{"> 1", "  2", "  3"}));
  EXPECT_EQ(view.cursor_row, 0u);
}

TEST(LineEditor, ShowsPastedControlCharacters) {
  LineEditor editor;
  static_cast<void>(typed(editor, "\x1b[200~a\x1b[31mb\x1b[201~"));
  EXPECT_EQ(rows(editor.view(Line("> "), 40, 3)), (Rows{"> a^[[31mb"}));
}

class HistoryTest : public ::testing::Test {
 public:
  TestDirectory directory_;
  std::string path_ = directory_.at("state/history");
};

TEST_F(HistoryTest, IsSavedPrivatelyForTheNextRun) {
  const History history(path_);
  EXPECT_TRUE(history.load().empty());
  ASSERT_TRUE(history.add("one"));
  ASSERT_TRUE(history.add("two\nlines"));
  ASSERT_TRUE(history.add("two\nlines"));
  ASSERT_TRUE(history.add(" a secret"));
  ASSERT_TRUE(history.add("  "));
  EXPECT_EQ(History(path_).load(), (std::vector<std::string>{"one", "two\nlines"}));
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(HistoryTest, ReadsTheEndOfALongFileAndShortensIt) {
  const History history(path_);
  ASSERT_TRUE(history.add("first"));
  {
    std::ofstream file(path_, std::ios::app);
    const std::string entry(60'000, 'x');
    for (int i = 0; i < 300; ++i) file << '"' << i << entry << "\"\n";
  }
  ASSERT_TRUE(history.add("last"));
  const std::vector<std::string> loaded = history.load();
  ASSERT_GT(loaded.size(), 100U);
  EXPECT_EQ(loaded.back(), "last");
  EXPECT_LT(std::filesystem::file_size(path_), std::size_t{16} << 20);
  EXPECT_EQ(history.load(), loaded);
}

TEST_F(HistoryTest, DropsTheOldestAndInvalidEntries) {
  const History history(path_, 3);
  ASSERT_TRUE(history.add("0"));
  std::ofstream(path_, std::ios::app) << "not ours\n";
  for (int i = 1; i < 9; ++i) ASSERT_TRUE(history.add(std::to_string(i)));
  EXPECT_EQ(history.load(), (std::vector<std::string>{"6", "7", "8"}));
  std::ifstream file(path_);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(file), {}, '\n'), 3);
}

}  // namespace
}  // namespace helve::terminal
