#include "text/file_kind.h"

#include <gtest/gtest.h>

namespace helve::text {
namespace {

using namespace std::string_view_literals;

std::string_view mime(std::string_view bytes) {
  const auto kind = kind_of(bytes);
  return kind ? kind->mime : "none";
}

TEST(FileKind, RecognizesImages) {
  for (const std::string_view bytes : {"\x89PNG\r\n\x1A\n...."sv, "\xFF\xD8\xFF\xE0"sv, "GIF89a.."sv,
                                       "RIFF\x10\0\0\0WEBPVP8 "sv, "BM\x36\0\0\0\0\0\0\0"sv})
    EXPECT_TRUE(kind_of(bytes)->is_image);
  EXPECT_EQ(mime("RIFF\x10\0\0\0WEBPVP8 "sv), "image/webp");
  EXPECT_EQ(mime("RIFF\x10\0\0\0WAVEfmt "sv), "audio/wav");
  EXPECT_FALSE(kind_of("II*\0........"sv)->is_image);
}

TEST(FileKind, RecognizesCommonBinaries) {
  EXPECT_EQ(kind_of("\x7F"
                    "ELF\2\1\1\0"sv),
            (FileKind{"ELF program or library", "application/x-elf"}));
  EXPECT_EQ(mime("%PDF-1.7\n"), "application/pdf");
  EXPECT_EQ(mime("PK\3\4\x14\0"sv), "application/zip");
  EXPECT_EQ(mime("PK\3\4" + std::string(26, '\0') + "[Content_Types].xml"), "application/vnd.openxmlformats");
  EXPECT_EQ(mime("\x1F\x8B\x08\0"sv), "application/gzip");
  EXPECT_EQ(mime("SQLite format 3\0...."sv), "application/vnd.sqlite3");
  EXPECT_EQ(mime(std::string(257, 'n') + "ustar"), "application/x-tar");
  EXPECT_EQ(mime("MZ\x90\0\3"sv), "application/vnd.microsoft.portable-executable");
}

TEST(FileKind, DoesNotTakeTextForBinary) {
  for (const std::string_view bytes :
       {""sv, "BM is short for benchmark"sv, "MZ"sv, "int main() {}"sv, "RIFF"sv})
    EXPECT_EQ(mime(bytes), "none") << bytes;
}

}  // namespace
}  // namespace helve::text
