// Detects the encoding of a file from its bytes.
#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "base/utf8.h"
#include "text/text_encoding.h"

namespace helve::text {
namespace {

// The first part of a file is enough to guess its encoding; only NUL bytes and UTF-8 are checked everywhere.
constexpr std::size_t kSample = std::size_t{64} * 1024;

unsigned char byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// Control characters that are rare in text files. Escape and form feed are not among them.
bool is_odd_control(unsigned char byte) {
  return (byte < 0x20 && !(byte >= '\b' && byte <= '\r') && byte != 0x1B) || byte == 0x7F;
}

bool has_many_odd_controls(std::string_view bytes) {
  using Lanes [[gnu::vector_size(16)]] = unsigned char;
  std::size_t odd = 0;
  std::size_t at = 0;
  while (at + sizeof(Lanes) <= bytes.size()) {
    // A one-byte lane can count 255 matches.
    const std::size_t end =
        at + std::min<std::size_t>((bytes.size() - at) / sizeof(Lanes), 255) * sizeof(Lanes);
    Lanes counts{};
    for (; at < end; at += sizeof(Lanes)) {
      Lanes here;
      std::memcpy(&here, bytes.data() + at, sizeof here);
      const auto is_odd = ((here < 0x20) & (here - '\b' > '\r' - '\b') & (here != 0x1B)) | (here == 0x7F);
      counts -= reinterpret_cast<Lanes>(is_odd);  // a comparison sets all bits, which is -1
    }
    for (std::size_t i = 0; i < sizeof(Lanes); ++i) odd += counts[i];
  }
  for (; at < bytes.size(); ++at) odd += is_odd_control(byte_at(bytes, at)) ? 1 : 0;
  return odd * 20 > bytes.size();
}

struct UnitCounts {
  std::size_t all = 0;
  std::size_t latin = 0;  // U+0001 to U+00FF
  std::size_t bad = 0;    // NUL, rare controls, noncharacters, lone surrogates
};

UnitCounts count_units(std::string_view bytes, bool little_endian) {
  UnitCounts counts;
  bool after_high = false;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const unsigned char low = byte_at(bytes, little_endian ? at : at + 1);
    const unsigned char high = byte_at(bytes, little_endian ? at + 1 : at);
    const bool is_high = high >= 0xD8 && high < 0xDC;
    const bool is_low = high >= 0xDC && high < 0xE0;
    ++counts.all;
    if (after_high != is_low) ++counts.bad;
    after_high = is_high;
    if (high == 0) {
      ++counts.latin;
      if (low == 0 || is_odd_control(low)) ++counts.bad;
    }
    if (high == 0xFF && low >= 0xFE) ++counts.bad;
  }
  return counts;
}

// Without a byte order mark, only a file of mostly Latin letters, each next to a NUL, is recognized.
bool is_obvious_utf16(std::string_view bytes, bool little_endian) {
  const UnitCounts counts = count_units(bytes, little_endian);
  return counts.all >= 2 && counts.bad == 0 && counts.latin * 10 >= counts.all * 7;
}

struct Utf8Counts {
  std::size_t characters = 0;  // valid multi-byte characters
  std::size_t invalid = 0;     // malformed sequences
};

Utf8Counts count_utf8(std::string_view bytes, Extent extent) {
  Utf8Counts counts;
  while (!bytes.empty()) {
    const std::size_t length = utf8_character_length(bytes);
    if (length > 1) ++counts.characters;
    const std::size_t malformed = length == 0 ? malformed_utf8_length(bytes) : 0;
    const bool is_cut_off = extent == Extent::kBeginning && malformed == bytes.size();
    if (malformed > 0 && !is_cut_off) ++counts.invalid;
    bytes.remove_prefix(length + malformed);
  }
  return counts;
}

// Bytes that are letters in windows-1250 (ł, ą, ż, ş, ť …) but symbols or undefined in windows-1252.
constexpr std::string_view kCentralEuropean = "\x8D\x8F\x9D\x9F\xA3\xA5\xAA\xAF\xB3\xB9\xBA\xBC\xBE\xBF";

Charset guess_single_byte(std::string_view bytes) {
  std::size_t high = 0;
  std::size_t letters = 0;        // letters in Cyrillic encodings: 0xC0 to 0xFF
  std::size_t after_letter = 0;   // letters right after another one, as in words
  std::size_t upper_quarter = 0;  // after_letter ones from 0xE0 to 0xFF
  std::size_t c1 = 0;
  std::size_t central_european = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const unsigned char byte = byte_at(bytes, at);
    if (byte < 0x80) continue;
    const unsigned char before = at > 0 ? byte_at(bytes, at - 1) : 0;
    ++high;
    if (byte < 0xA0) ++c1;
    if (byte >= 0xC0) ++letters;
    if (byte >= 0xC0 && before >= 0xC0) {
      ++after_letter;
      if (byte >= 0xE0) ++upper_quarter;
    }
    // Within or at the end of a word; symbols such as ¿ and £ come before one.
    if (is_letter(before) && kCentralEuropean.find(bytes[at]) != std::string_view::npos) ++central_european;
  }
  if (high >= 4 && letters * 10 >= high * 8 && after_letter * 10 >= letters * 6)
    // Most letters are lower case: the upper quarter in windows-1251, the lower one in KOI8-R.
    return upper_quarter * 2 >= after_letter ? Charset::kWindows1251 : Charset::kKoi8R;
  if (central_european * 10 >= high) return Charset::kWindows1250;
  return c1 > 0 ? Charset::kWindows1252 : Charset::kLatin1;
}

}  // namespace

TextEncoding detect_encoding(std::string_view bytes, Extent extent) {
  using namespace std::string_view_literals;
  const std::string_view sample = bytes.substr(0, kSample);
  constexpr TextEncoding kBinary{Charset::kBinary};
  if (bytes.starts_with("\xEF\xBB\xBF")) return {Charset::kUtf8, true};
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return kBinary;  // UTF-32
  for (const bool little_endian : {true, false}) {
    if (!bytes.starts_with(little_endian ? "\xFF\xFE"sv : "\xFE\xFF"sv)) continue;
    const UnitCounts counts = count_units(sample.substr(2), little_endian);
    if (counts.bad * 10 > counts.all) return kBinary;
    return {little_endian ? Charset::kUtf16Le : Charset::kUtf16Be, true};
  }
  if (bytes.find('\0') != std::string_view::npos) {
    if (is_obvious_utf16(sample, true)) return {Charset::kUtf16Le};
    if (is_obvious_utf16(sample, false)) return {Charset::kUtf16Be};
    return kBinary;
  }
  if (has_many_odd_controls(sample)) return kBinary;
  if (is_valid_utf8(bytes)) return {Charset::kUtf8};
  const Utf8Counts counts = count_utf8(bytes, extent);
  if (counts.characters >= counts.invalid) return {Charset::kUtf8};
  return {guess_single_byte(bytes)};
}

}  // namespace helve::text
