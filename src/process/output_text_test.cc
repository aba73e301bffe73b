#include "process/output_text.h"

#include <gtest/gtest.h>

#include <string>

namespace helve::process {
namespace {

TEST(OutputText, KeepsPlainText) {
  const std::string text = "one\n\ttwo é ✓\n\nfour";
  EXPECT_EQ(clean_text(text), text);
  EXPECT_EQ(clean_text(""), "");
}

TEST(OutputText, RemovesColoursAndTitles) {
  EXPECT_EQ(clean_text("\x1b[1;31merror\x1b[0m: \x1b[38;5;12mx\x1b[m\n"), "error: x\n");
  EXPECT_EQ(clean_text("\x1b]0;title\x07text"), "text");
  EXPECT_EQ(clean_text("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\!"), "link!");
  EXPECT_EQ(clean_text("\x1bPdcs data\x1b\\after\x1b(B\x1b=\x1b"
                       "7."),
            "after.");
}

TEST(OutputText, AnUnterminatedSequenceEndsWithItsLine) {
  EXPECT_EQ(clean_text("a\x1b]0;title\nb\x1b[12\nc\x1b\nd"), "a\nb\nc\nd");
}

TEST(OutputText, CarriageReturnsOverwriteTheLine) {
  EXPECT_EQ(clean_text("10%\r50%\r100%\n"), "100%\n");
  EXPECT_EQ(clean_text("one\r\ntwo\r\n"), "one\ntwo\n");
  EXPECT_EQ(clean_text("abcdef\rXY\n"), "XYcdef\n") << "the rest stays, as on a terminal";
  EXPECT_EQ(clean_text("working...\r\x1b[Kdone\n"), "done\n");
  EXPECT_EQ(clean_text("working...\x1b[2K\rdone\n"), "done\n");
}

TEST(OutputText, AppliesBackspacesAndCursorMoves) {
  EXPECT_EQ(clean_text("abc\b\bX\n"), "aXc\n");
  EXPECT_EQ(clean_text("\b\bx"), "x");
  EXPECT_EQ(clean_text("|\b/\b-\b\\\bok"), "ok");
  EXPECT_EQ(clean_text("abc\x1b[2Dx\x1b[5Gy"), "axc y");
  EXPECT_EQ(clean_text("a\x1b[3Cb"), "a   b");
  EXPECT_LE(clean_text("\x1b[999999999999Cx").size(), 70'000U);
}

TEST(OutputText, ShowsOtherControlCharacters) {
  EXPECT_EQ(clean_text(std::string("a\0b\x01\x7f", 5)), "a\\x00b\\x01\\x7f");
  EXPECT_EQ(clean_text("ding\a"), "ding");
}

TEST(OutputText, ReplacesMalformedBytes) {
  EXPECT_EQ(clean_text("a\xff"
                       "b\xc3"),
            "a\uFFFDb\uFFFD");
  EXPECT_EQ(clean_text("\x1b[1m\xe2\x82"), "\uFFFD");
}

TEST(OutputText, DistinguishesBinaryFromText) {
  EXPECT_FALSE(looks_binary(""));
  EXPECT_FALSE(looks_binary("plain text\n"));
  EXPECT_FALSE(looks_binary("caf\xe9 au lait, s'il vous pla\xeet, monsieur\n")) << "Latin-1";
  EXPECT_FALSE(looks_binary(std::string("./some/file/name.cc\0./another/file.cc\0", 38))) << "find -print0";
  EXPECT_TRUE(
      looks_binary(std::string("\x7f"
                               "ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0>\0",
                               20)));
  EXPECT_TRUE(looks_binary("\x89PNG\r\n\x1a\n\xde\xad\xbe\xef\x91\x92\x93\xff\xfe"));
}

}  // namespace
}  // namespace helve::process
