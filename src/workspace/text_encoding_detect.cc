// Finds out the encoding of a file from its bytes.
#include <algorithm>
#include <cstring>

#include "base/utf8.h"
#include "workspace/text_encoding.h"

namespace helve {
namespace {

// What a file is made of shows in its first part; only NUL bytes and UTF-8 are looked for everywhere.
constexpr std::size_t kSample = std::size_t{64} * 1024;

unsigned char byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

bool is_ascii_letter(unsigned char byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; }

// Control characters that text files hardly ever have; escape sequences and page breaks are not among them.
bool is_odd_control(unsigned char byte) {
  return (byte < 0x20 && !(byte >= '\b' && byte <= '\r') && byte != 0x1B) || byte == 0x7F;
}

bool has_many_odd_controls(std::string_view bytes) {
  using Lanes [[gnu::vector_size(16)]] = unsigned char;
  std::size_t odd = 0;
  std::size_t at = 0;
  while (at + sizeof(Lanes) <= bytes.size()) {
    // A lane of one byte holds 255 matches.
    const std::size_t end =
        at + std::min<std::size_t>((bytes.size() - at) / sizeof(Lanes), 255) * sizeof(Lanes);
    Lanes counts{};
    for (; at < end; at += sizeof(Lanes)) {
      Lanes here;
      std::memcpy(&here, bytes.data() + at, sizeof here);
      const auto is_odd = ((here < 0x20) & (here - '\b' > '\r' - '\b') & (here != 0x1B)) | (here == 0x7F);
      counts -= reinterpret_cast<Lanes>(is_odd);  // a comparison gives all bits, which is minus one
    }
    for (std::size_t i = 0; i < sizeof(Lanes); ++i) odd += counts[i];
  }
  for (; at < bytes.size(); ++at) odd += is_odd_control(byte_at(bytes, at)) ? 1 : 0;
  return odd * 20 > bytes.size();
}

struct UnitCounts {
  std::size_t all = 0;
  std::size_t latin = 0;  // U+0001 to U+00FF
  std::size_t bad = 0;    // NUL, odd controls, noncharacters, surrogates without a partner
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

// Without a byte order mark only a file that is mostly Latin letters, each with a NUL beside it, is obvious.
bool is_obvious_utf16(std::string_view bytes, bool little_endian) {
  const UnitCounts counts = count_units(bytes, little_endian);
  return counts.all >= 2 && counts.bad == 0 && counts.latin * 10 >= counts.all * 7;
}

struct Utf8Counts {
  std::size_t characters = 0;  // valid ones of more than one byte
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

// Bytes that are letters in windows-1250 (ł, ą, ż, ş, ť …) but signs or nothing in windows-1252.
constexpr std::string_view kCentralEuropean = "\x8D\x8F\x9D\x9F\xA3\xA5\xAA\xAF\xB3\xB9\xBA\xBC\xBE\xBF";

Charset guess_single_byte(std::string_view bytes) {
  std::size_t high = 0;
  std::size_t letters = 0;        // that Cyrillic encodings have: 0xC0 to 0xFF
  std::size_t in_company = 0;     // letters right after another such letter: whole words of them
  std::size_t upper_quarter = 0;  // of those in company: 0xE0 to 0xFF
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
      ++in_company;
      if (byte >= 0xE0) ++upper_quarter;
    }
    // Within or at the end of a word; signs such as ¿ and £ come before one.
    if (is_ascii_letter(before) && kCentralEuropean.find(bytes[at]) != std::string_view::npos)
      ++central_european;
  }
  if (high >= 4 && letters * 10 >= high * 8 && in_company * 10 >= letters * 6)
    // Most letters are lower-case, and those are the upper quarter in one and the lower in the other.
    return upper_quarter * 2 >= in_company ? Charset::kWindows1251 : Charset::kKoi8R;
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

}  // namespace helve
