#include "terminal/key_reader.h"

#include <gtest/gtest.h>

namespace helve::terminal {
namespace {

using Kind = Key::Kind;

std::vector<Kind> kinds(std::string_view bytes) {
  KeyReader reader;
  std::vector<Kind> kinds;
  for (const Key& key : reader.feed(bytes)) kinds.push_back(key.kind);
  for (const Key& key : reader.flush()) kinds.push_back(key.kind);
  return kinds;
}

TEST(Keys, DecodesTerminalSequences) {
  EXPECT_EQ(kinds("\x1b[A\x1bOB\x1b[C\x1b[D"),
            (std::vector{Kind::kUp, Kind::kDown, Kind::kRight, Kind::kLeft}));
  EXPECT_EQ(kinds("\x1b[H\x1b[1~\x1bOF\x1b[8~"),
            (std::vector{Kind::kHome, Kind::kHome, Kind::kEnd, Kind::kEnd}));
  EXPECT_EQ(kinds("\x1b[1;5C\x1b[1;3D\x1b"
                  "b\x1b"
                  "f"),
            (std::vector{Kind::kWordRight, Kind::kWordLeft, Kind::kWordLeft, Kind::kWordRight}));
  EXPECT_EQ(kinds("\x01\x05\x15\x17\x0b\x19"),
            (std::vector{Kind::kHome, Kind::kEnd, Kind::kEraseToStart, Kind::kEraseWord, Kind::kEraseToEnd,
                         Kind::kPutBack}));
  EXPECT_EQ(kinds("\r\n\x1b\r\x7f\x1b[3~"),
            (std::vector{Kind::kEnter, Kind::kNewLine, Kind::kNewLine, Kind::kBackspace, Kind::kDelete}));
  EXPECT_EQ(kinds("\x1b[99;9u"), (std::vector{Kind::kOther}));
}

TEST(Keys, ALoneEscapeIsAKey) {
  KeyReader reader;
  EXPECT_TRUE(reader.feed("\x1b").empty());
  EXPECT_TRUE(reader.is_waiting());
  EXPECT_EQ(reader.flush(), (std::vector{Key{Kind::kEscape}}));
  EXPECT_FALSE(reader.is_waiting());
  EXPECT_EQ(kinds("\x1bz"), (std::vector{Kind::kEscape, Kind::kText}));
  EXPECT_EQ(kinds("\x1b\x1b"), (std::vector{Kind::kEscape, Kind::kEscape}));
}

TEST(Keys, AcceptsCharactersByteByByte) {
  KeyReader reader;
  std::string text;
  for (const char byte : std::string_view("h\u00E4\u6F22\U0001F642"))
    for (const Key& key : reader.feed(std::string_view(&byte, 1))) text += key.text;
  EXPECT_EQ(text, "h\u00E4\u6F22\U0001F642");
  EXPECT_TRUE(reader.feed("\xFF").empty());  // invalid, and not kept as pending
  EXPECT_FALSE(reader.is_waiting());
}

TEST(Keys, AcceptsSequencesInPieces) {
  KeyReader reader;
  EXPECT_TRUE(reader.feed("\x1b").empty());
  EXPECT_TRUE(reader.feed("[1;").empty());
  EXPECT_EQ(reader.feed("5C"), (std::vector{Key{Kind::kWordRight}}));
}

TEST(Keys, APasteIsOneKey) {
  const std::string paste = "\x1b[200~one\rtwo\r\nthree \x1b[A \x03\x1b[201~x";
  const std::vector<Key> expected{{Kind::kPaste, "one\ntwo\nthree \x1b[A \x03"}, {Kind::kText, "x"}};
  KeyReader whole;
  EXPECT_EQ(whole.feed(paste), expected);
  KeyReader pieces;
  std::vector<Key> keys;
  for (const char byte : paste)
    for (const Key& key : pieces.feed(std::string_view(&byte, 1))) keys.push_back(key);
  EXPECT_EQ(keys, expected);
}

TEST(Keys, DropsASequenceWithoutEnd) {
  KeyReader reader;
  const auto keys = reader.feed("\x1b[" + std::string(100, '1'));
  ASSERT_FALSE(keys.empty());
  EXPECT_EQ(keys[0].kind, Kind::kOther);
}

}  // namespace
}  // namespace helve::terminal
