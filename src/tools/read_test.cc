#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/testing.h"

namespace helve {
namespace {

class ReadTest : public testing::ToolTest {};

TEST_F(ReadTest, NumbersLinesAndSaysWhatTheFileIs) {
  put("src/a.py", "import os\nprint('hi')\n");
  const Answer answer = call("read", {{"path", "src/a.py"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.result->content, "1\timport os\n2\tprint('hi')\n");
  EXPECT_EQ(answer.result->summary, "src/a.py: lines 1–2 of 2 (Python, utf-8, LF)");
  EXPECT_EQ(
      to_text(answer.result->data),
      R"({"path":"src/a.py","bytes":22,"language":"python","encoding":"utf-8","lineEnding":"LF","finalNewline":true,)"
      R"("totalLines":2,"firstLine":1,"lines":2,"cutLines":0})");
}

TEST_F(ReadTest, ReadsRangesFromBothEnds) {
  std::string text;
  for (int i = 1; i <= 3000; ++i) text += "line " + std::to_string(i) + "\n";
  put("a.txt", text);
  EXPECT_EQ(content("read", {{"path", "a.txt"}, {"offset", 10}, {"limit", 2}}),
            "10\tline 10\n11\tline 11\n\n(lines 12–3000 are not shown; go on with offset 12)\n");
  EXPECT_EQ(content("read", {{"path", "a.txt"}, {"offset", -2}}), "2999\tline 2999\n3000\tline 3000\n");
  EXPECT_EQ(content("read", {{"path", "a.txt"}, {"offset", -3}, {"limit", 1}}),
            "2998\tline 2998\n\n(lines 2999–3000 are not shown; go on with offset 2999)\n");
  const Answer whole = call("read", {{"path", "a.txt"}});
  EXPECT_TRUE(whole.result->truncated);
  EXPECT_EQ(*whole.result->data.find("nextOffset"), Json(2001));
  EXPECT_EQ(content("read", {{"path", "a.txt"}, {"offset", 5000}}),
            "error: a.txt has 3,000 lines; there is no line 5,000.");
  EXPECT_EQ(content("read", {{"path", "a.txt"}, {"offset", 0}}),
            "error: offset 0 is not a line; lines count from 1.");
}

TEST_F(ReadTest, CutsLongLinesWithAMark) {
  put("a.txt", std::string(2500, 'x') + "\nshort\n");
  const Answer answer = call("read", {{"path", "a.txt"}});
  EXPECT_EQ(answer.result->content,
            "1\t" + std::string(2000, 'x') + "… (line cut; about 500 more characters)\n2\tshort\n");
  EXPECT_TRUE(answer.result->truncated);
}

TEST_F(ReadTest, ShowsLegacyEncodingsAsTextAndNamesThem) {
  put("latin.txt", "caf\xE9 cr\xE8me, d\xE9j\xE0 vu\n");
  const Answer answer = call("read", {{"path", "latin.txt"}});
  EXPECT_THAT(answer.result->content,
              ::testing::HasSubstr("The file is not valid UTF-8. Its bytes are shown as Windows-1252;"));
  EXPECT_THAT(answer.result->content, ::testing::StartsWith("1\tcafé crème, déjà vu\n"));
  EXPECT_EQ(answer.result->data.find("encoding")->as_string(), "iso-8859-1");
  EXPECT_THAT(content("read", {{"path", "latin.txt"}, {"encoding", "ascii"}}),
              ::testing::Not(::testing::HasSubstr("\xC3")));
}

TEST_F(ReadTest, SaysWhereAFileIsNotValidUtf8) {
  put("mixed.txt", "caf\xC3\xA9 \xFF\nfine\n");
  const Answer answer = call("read", {{"path", "mixed.txt"}});
  EXPECT_THAT(answer.result->content,
              ::testing::HasSubstr("1 place is not valid UTF-8 and shown as \uFFFD;"));
  EXPECT_EQ(answer.result->data.find("malformedPlaces")->as_integer(), 1);
  EXPECT_THAT(content("read", {{"path", "mixed.txt"}, {"offset", 2}}),
              ::testing::Not(::testing::HasSubstr("UTF-8")));
}

TEST_F(ReadTest, SaysWhatABinaryFileIsAndGivesItsBytesOnRequest) {
  put("a.bin", std::string("\x7F"
                           "ELF\0\0\0",
                           7) +
                   std::string(100, '\0'));
  const Answer answer = call("read", {{"path", "a.bin"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("binary file: ELF"));
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("base64"));
  put("b.bin", std::string("\0\1\2", 3));
  EXPECT_EQ(content("read", {{"path", "b.bin"}, {"encoding", "base64"}}), "AAEC");
}

TEST_F(ReadTest, GivesImagesAsImages) {
  put("a.png", std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16) + std::string(20, 'x'));
  const Answer answer = call("read", {{"path", "a.png"}});
  ASSERT_EQ(answer.result->images.size(), 1U);
  EXPECT_EQ(answer.result->images[0].mime_type, "image/png");
  EXPECT_EQ(answer.result->images[0].bytes, get("a.png"));
}

TEST_F(ReadTest, ListsADirectory) {
  put("src/a.py", "x\n");
  put("src/inner/b.py", "x\n");
  const Answer answer = call("read", {{"path", "src"}});
  EXPECT_TRUE(answer.result->content.starts_with("inner/\na.py  2 B  ")) << answer.result->content;
  EXPECT_EQ(*answer.result->data.find("type"), Json("directory"));
}

TEST_F(ReadTest, NamesTheClosestPathsForAMissingFile) {
  put("src/dispatcher.cc", "x\n");
  EXPECT_THAT(error("read", {{"path", "src/dispacher.cc"}}).hint, ::testing::HasSubstr("src/dispatcher.cc"));
  EXPECT_THAT(error("read", {{"path", "dispatcher.cc"}}).hint, ::testing::HasSubstr("src/dispatcher.cc"));
}

TEST_F(ReadTest, ShowsTheHeadOfALargeFileAndRecommendsARange) {
  std::string text;
  for (int i = 1; i <= 50'000; ++i) text += "line " + std::to_string(i) + "\n";
  put("big.log", text);
  const Answer answer = call("read", {{"path", "big.log"}});
  EXPECT_EQ(*answer.result->data.find("lines"), Json(200));
  EXPECT_THAT(answer.result->content,
              ::testing::HasSubstr("This file is large (526 KB, 50,000 lines), so only its head is shown."))
      << answer.result->content.substr(answer.result->content.size() - 300);
}

TEST_F(ReadTest, ReadsARangeFarInsideAHugeFile) {
  std::ofstream file(path("huge.log"), std::ios::binary);
  std::string chunk;
  int line = 0;
  while (line < 700'000) {
    chunk.clear();
    for (int i = 0; i < 10'000; ++i) chunk += "this is line number " + std::to_string(++line) + " of a log\n";
    file << chunk;
  }
  file.close();
  const Answer answer = call("read", {{"path", "huge.log"}, {"offset", 600'000}, {"limit", 2}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_TRUE(answer.result->content.starts_with(
      "600000\tthis is line number 600000 of a log\n600001\tthis is line number 600001 of a log\n"));
  EXPECT_TRUE(call("read", {{"path", "huge.log"}, {"offset", -1}}).result->content.starts_with("700000\t"));
}

TEST_F(ReadTest, DoesNotBlockOnPipesDevicesAndDirectories) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error("read", {{"path", "pipe"}}).message, ::testing::HasSubstr("FIFO"));
}

TEST_F(ReadTest, EmptyFilesAreNoMystery) {
  put("empty.txt", "");
  EXPECT_EQ(call("read", {{"path", "empty.txt"}}).result->summary, "empty.txt is empty");
  EXPECT_EQ(content("read", {{"path", "empty.txt"}}), "(empty file)\n");
}

TEST_F(ReadTest, OpensLongResultsOfItsOwnSessionOnly) {
  for (int i = 0; i < 400; ++i) put("many/a-file-with-a-name-" + std::to_string(i), "");
  const Answer listing = call("ls", {{"path", "many"}});
  const std::string kept = listing.result->data.find("offloaded")->find("path")->as_string();
  EXPECT_THAT(content("read", {{"path", kept}, {"limit", 1}}), ::testing::HasSubstr("a-file-with-a-name-0"));
  const auto other = runtime().open_session({}).value();
  const Answer refused = runtime().call(other, {.tool = "read", .arguments = JsonObject{{"path", kept}}});
  EXPECT_EQ(refused.result.error().code, ErrorCode::kSecurity);
  EXPECT_EQ(error("write", {{"path", kept}, {"content", "x"}}).code, ErrorCode::kPermissionDenied);
}

TEST_F(ReadTest, ListsATreeAndTellsWhatItLeavesOut) {
  put("a/b/c.txt", "x");
  put(".git/config", "x");
  EXPECT_TRUE(content("ls", {{"path", "."}, {"depth", 3}}).starts_with(".git/ …\na/\n  b/\n    c.txt  1 B  "))
      << content("ls", {{"path", "."}, {"depth", 3}});
}

}  // namespace
}  // namespace helve
