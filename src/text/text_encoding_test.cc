#include "text/text_encoding.h"

#include <gtest/gtest.h>

namespace helve::text {
namespace {

using namespace std::string_view_literals;

std::string guess(std::string_view bytes, Extent extent = Extent::kWhole) {
  return to_string(detect_encoding(bytes, extent));
}

std::string encoded(std::string_view text, Charset charset) { return encode(text, {charset}).value(); }

TEST(TextEncoding, RecognizesUnicode) {
  EXPECT_EQ(guess(""), "utf-8");
  EXPECT_EQ(guess("plain"), "utf-8");
  EXPECT_EQ(guess("grün → λ 😀"), "utf-8");
  EXPECT_EQ(guess("\xEF\xBB\xBFx"), "utf-8 with BOM");
  EXPECT_EQ(guess("\xFF\xFEx\0"sv), "utf-16le with BOM");
  EXPECT_EQ(guess("\xFE\xFF\0x"sv), "utf-16be with BOM");
  EXPECT_EQ(guess(encoded("int main() { return 0; }\r\n", Charset::kUtf16Le)), "utf-16le");
  EXPECT_EQ(guess(encoded("größer als 😀\n", Charset::kUtf16Be)), "utf-16be");
}

TEST(TextEncoding, RecognizesBinary) {
  EXPECT_EQ(guess("\x7F"
                  "ELF\x02\x01\x01\0\0\0\0\0"sv),
            "binary");
  EXPECT_EQ(guess("text with one \0 byte"sv), "binary");
  EXPECT_EQ(guess("\xFF\xFE\0\0x\0\0\0"sv), "binary");
  EXPECT_EQ(guess("\x01\x02\x03\x04 abc"), "binary");
  EXPECT_EQ(guess("\x1b[31mred\x1b[0m page\f"), "utf-8");
}

TEST(TextEncoding, KeepsUtf8WithAFewInvalidBytes) {
  EXPECT_EQ(guess("grün, schön, \xFF und süß"), "utf-8");
  EXPECT_EQ(decode("gr\xC3\xBCn \xFF!", {}), "grün \xEF\xBF\xBD!");
}

TEST(TextEncoding, GuessesOlderEncodings) {
  EXPECT_EQ(guess(encoded("Das Mädchen fährt über die Brücke.", Charset::kLatin1)), "iso-8859-1");
  EXPECT_EQ(guess(encoded("“Déjà vu”… cost 5 €", Charset::kWindows1252)), "windows-1252");
  EXPECT_EQ(guess(encoded("¿Qué pasa, señor? £5", Charset::kLatin1)), "iso-8859-1");
  EXPECT_EQ(guess(encoded("Zażółć gęślą jaźń", Charset::kWindows1250)), "windows-1250");
  EXPECT_EQ(guess(encoded("Быстрая лиса прыгает", Charset::kWindows1251)), "windows-1251");
  EXPECT_EQ(guess(encoded("Быстрая лиса прыгает", Charset::kKoi8R)), "koi8-r");
}

TEST(TextEncoding, ABeginningMayEndWithinACharacter) {
  const std::string_view cut = "only one \xE2\x86";
  EXPECT_EQ(guess(cut, Extent::kBeginning), "utf-8");
  EXPECT_EQ(guess(cut, Extent::kWhole), "windows-1252");
}

TEST(TextEncoding, SingleByteEncodingsRoundTripEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const Charset charset : {Charset::kLatin1, Charset::kWindows1250, Charset::kWindows1251,
                                Charset::kWindows1252, Charset::kKoi8R})
    EXPECT_EQ(encode(decode(all, {charset}), {charset}), all) << to_string({charset});
}

TEST(TextEncoding, Utf16RoundTrips) {
  const std::string text = "a\tß → 😀\r\n";
  for (const Charset charset : {Charset::kUtf16Le, Charset::kUtf16Be})
    EXPECT_EQ(decode(*encode(text, {charset}), {charset}), text);
  EXPECT_EQ(decode("a\0\x00\xD8z\0!"sv, {Charset::kUtf16Le}), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
}

TEST(TextEncoding, RefusesCharactersThatTheEncodingLacks) {
  const auto arrow = encode("first\nab → c", {Charset::kWindows1252});
  ASSERT_FALSE(arrow);
  EXPECT_EQ(arrow.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(arrow.error().message,
            "The text has \"→\" (U+2192) at line 2, column 4, which windows-1252, the encoding of the file, "
            "cannot represent.");
  EXPECT_FALSE(encode("€", {Charset::kLatin1}));
  EXPECT_EQ(encode("€", {Charset::kWindows1252}), "\x80");
  EXPECT_FALSE(encode("\xFF", {}));
  EXPECT_FALSE(encode("x", {Charset::kBinary}));
}

TEST(TextEncoding, TheByteOrderMarkIsNotText) {
  const TextEncoding encoding{Charset::kUtf16Le, true};
  EXPECT_EQ(decode(without_bom("\xFF\xFEx\0"sv, encoding), encoding), "x");
  EXPECT_EQ(bom_of({Charset::kUtf8, true}), "\xEF\xBB\xBF");
  EXPECT_EQ(bom_of({Charset::kUtf8, false}), "");
}

}  // namespace
}  // namespace helve::text
