#include "text/text_encoding.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::text {
namespace {

// The single-byte encodings. Bytes that an encoding leaves undefined stand for the control character of the
// same number, as on the web, so that every byte can be converted back.
using UpperHalf = std::array<char16_t, 128>;

constexpr UpperHalf kLatin1 = [] {
  UpperHalf table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<char16_t>(0x80 + i);
  return table;
}();

// clang-format off
constexpr UpperHalf kWindows1250 = {
    0x20AC, 0x0081, 0x201A, 0x0083, 0x201E, 0x2026, 0x2020, 0x2021, 0x0088, 0x2030, 0x0160, 0x2039,
    0x015A, 0x0164, 0x017D, 0x0179, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x0098, 0x2122, 0x0161, 0x203A, 0x015B, 0x0165, 0x017E, 0x017A, 0x00A0, 0x02C7, 0x02D8, 0x0141,
    0x00A4, 0x0104, 0x00A6, 0x00A7, 0x00A8, 0x00A9, 0x015E, 0x00AB, 0x00AC, 0x00AD, 0x00AE, 0x017B,
    0x00B0, 0x00B1, 0x02DB, 0x0142, 0x00B4, 0x00B5, 0x00B6, 0x00B7, 0x00B8, 0x0105, 0x015F, 0x00BB,
    0x013D, 0x02DD, 0x013E, 0x017C, 0x0154, 0x00C1, 0x00C2, 0x0102, 0x00C4, 0x0139, 0x0106, 0x00C7,
    0x010C, 0x00C9, 0x0118, 0x00CB, 0x011A, 0x00CD, 0x00CE, 0x010E, 0x0110, 0x0143, 0x0147, 0x00D3,
    0x00D4, 0x0150, 0x00D6, 0x00D7, 0x0158, 0x016E, 0x00DA, 0x0170, 0x00DC, 0x00DD, 0x0162, 0x00DF,
    0x0155, 0x00E1, 0x00E2, 0x0103, 0x00E4, 0x013A, 0x0107, 0x00E7, 0x010D, 0x00E9, 0x0119, 0x00EB,
    0x011B, 0x00ED, 0x00EE, 0x010F, 0x0111, 0x0144, 0x0148, 0x00F3, 0x00F4, 0x0151, 0x00F6, 0x00F7,
    0x0159, 0x016F, 0x00FA, 0x0171, 0x00FC, 0x00FD, 0x0163, 0x02D9,
};

constexpr UpperHalf kWindows1251 = {
    0x0402, 0x0403, 0x201A, 0x0453, 0x201E, 0x2026, 0x2020, 0x2021, 0x20AC, 0x2030, 0x0409, 0x2039,
    0x040A, 0x040C, 0x040B, 0x040F, 0x0452, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x0098, 0x2122, 0x0459, 0x203A, 0x045A, 0x045C, 0x045B, 0x045F, 0x00A0, 0x040E, 0x045E, 0x0408,
    0x00A4, 0x0490, 0x00A6, 0x00A7, 0x0401, 0x00A9, 0x0404, 0x00AB, 0x00AC, 0x00AD, 0x00AE, 0x0407,
    0x00B0, 0x00B1, 0x0406, 0x0456, 0x0491, 0x00B5, 0x00B6, 0x00B7, 0x0451, 0x2116, 0x0454, 0x00BB,
    0x0458, 0x0405, 0x0455, 0x0457, 0x0410, 0x0411, 0x0412, 0x0413, 0x0414, 0x0415, 0x0416, 0x0417,
    0x0418, 0x0419, 0x041A, 0x041B, 0x041C, 0x041D, 0x041E, 0x041F, 0x0420, 0x0421, 0x0422, 0x0423,
    0x0424, 0x0425, 0x0426, 0x0427, 0x0428, 0x0429, 0x042A, 0x042B, 0x042C, 0x042D, 0x042E, 0x042F,
    0x0430, 0x0431, 0x0432, 0x0433, 0x0434, 0x0435, 0x0436, 0x0437, 0x0438, 0x0439, 0x043A, 0x043B,
    0x043C, 0x043D, 0x043E, 0x043F, 0x0440, 0x0441, 0x0442, 0x0443, 0x0444, 0x0445, 0x0446, 0x0447,
    0x0448, 0x0449, 0x044A, 0x044B, 0x044C, 0x044D, 0x044E, 0x044F,
};

constexpr UpperHalf kWindows1252 = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178, 0x00A0, 0x00A1, 0x00A2, 0x00A3,
    0x00A4, 0x00A5, 0x00A6, 0x00A7, 0x00A8, 0x00A9, 0x00AA, 0x00AB, 0x00AC, 0x00AD, 0x00AE, 0x00AF,
    0x00B0, 0x00B1, 0x00B2, 0x00B3, 0x00B4, 0x00B5, 0x00B6, 0x00B7, 0x00B8, 0x00B9, 0x00BA, 0x00BB,
    0x00BC, 0x00BD, 0x00BE, 0x00BF, 0x00C0, 0x00C1, 0x00C2, 0x00C3, 0x00C4, 0x00C5, 0x00C6, 0x00C7,
    0x00C8, 0x00C9, 0x00CA, 0x00CB, 0x00CC, 0x00CD, 0x00CE, 0x00CF, 0x00D0, 0x00D1, 0x00D2, 0x00D3,
    0x00D4, 0x00D5, 0x00D6, 0x00D7, 0x00D8, 0x00D9, 0x00DA, 0x00DB, 0x00DC, 0x00DD, 0x00DE, 0x00DF,
    0x00E0, 0x00E1, 0x00E2, 0x00E3, 0x00E4, 0x00E5, 0x00E6, 0x00E7, 0x00E8, 0x00E9, 0x00EA, 0x00EB,
    0x00EC, 0x00ED, 0x00EE, 0x00EF, 0x00F0, 0x00F1, 0x00F2, 0x00F3, 0x00F4, 0x00F5, 0x00F6, 0x00F7,
    0x00F8, 0x00F9, 0x00FA, 0x00FB, 0x00FC, 0x00FD, 0x00FE, 0x00FF,
};

constexpr UpperHalf kKoi8R = {
    0x2500, 0x2502, 0x250C, 0x2510, 0x2514, 0x2518, 0x251C, 0x2524, 0x252C, 0x2534, 0x253C, 0x2580,
    0x2584, 0x2588, 0x258C, 0x2590, 0x2591, 0x2592, 0x2593, 0x2320, 0x25A0, 0x2219, 0x221A, 0x2248,
    0x2264, 0x2265, 0x00A0, 0x2321, 0x00B0, 0x00B2, 0x00B7, 0x00F7, 0x2550, 0x2551, 0x2552, 0x0451,
    0x2553, 0x2554, 0x2555, 0x2556, 0x2557, 0x2558, 0x2559, 0x255A, 0x255B, 0x255C, 0x255D, 0x255E,
    0x255F, 0x2560, 0x2561, 0x0401, 0x2562, 0x2563, 0x2564, 0x2565, 0x2566, 0x2567, 0x2568, 0x2569,
    0x256A, 0x256B, 0x256C, 0x00A9, 0x044E, 0x0430, 0x0431, 0x0446, 0x0434, 0x0435, 0x0444, 0x0433,
    0x0445, 0x0438, 0x0439, 0x043A, 0x043B, 0x043C, 0x043D, 0x043E, 0x043F, 0x044F, 0x0440, 0x0441,
    0x0442, 0x0443, 0x0436, 0x0432, 0x044C, 0x044B, 0x0437, 0x0448, 0x044D, 0x0449, 0x0447, 0x044A,
    0x042E, 0x0410, 0x0411, 0x0426, 0x0414, 0x0415, 0x0424, 0x0413, 0x0425, 0x0418, 0x0419, 0x041A,
    0x041B, 0x041C, 0x041D, 0x041E, 0x041F, 0x042F, 0x0420, 0x0421, 0x0422, 0x0423, 0x0416, 0x0412,
    0x042C, 0x042B, 0x0417, 0x0428, 0x042D, 0x0429, 0x0427, 0x042A,
};
// clang-format on

// The characters of bytes 0x80 to 0xFF; nullptr for other kinds of encodings.
const UpperHalf* upper_half(Charset charset) {
  switch (charset) {
    case Charset::kLatin1: return &kLatin1;
    case Charset::kWindows1250: return &kWindows1250;
    case Charset::kWindows1251: return &kWindows1251;
    case Charset::kWindows1252: return &kWindows1252;
    case Charset::kKoi8R: return &kKoi8R;
    case Charset::kUtf8:
    case Charset::kUtf16Le:
    case Charset::kUtf16Be:
    case Charset::kBinary: return nullptr;
  }
  return nullptr;
}

std::string_view charset_name(Charset charset) {
  switch (charset) {
    case Charset::kUtf8: return "utf-8";
    case Charset::kUtf16Le: return "utf-16le";
    case Charset::kUtf16Be: return "utf-16be";
    case Charset::kLatin1: return "iso-8859-1";
    case Charset::kWindows1250: return "windows-1250";
    case Charset::kWindows1251: return "windows-1251";
    case Charset::kWindows1252: return "windows-1252";
    case Charset::kKoi8R: return "koi8-r";
    case Charset::kBinary: return "binary";
  }
  return "binary";
}

std::string code_point_name(char32_t character) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string digits;
  for (int shift = 20; shift >= 0; shift -= 4) {
    const char digit = kHex[character >> shift & 0xF];
    if (!digits.empty() || digit != '0' || shift <= 12) digits += digit;
  }
  return concat("U+", digits);
}

// Line and column of `offset`, counting from 1, columns in characters.
std::pair<std::size_t, std::size_t> line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto breaks = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {breaks + 1, count_characters(before.substr(line_start)) + 1};
}

std::unexpected<Error> cannot_represent(std::string_view text, std::size_t offset, std::string_view shown,
                                        std::string_view what, const TextEncoding& encoding) {
  const auto [line, column] = line_and_column(text, offset);
  return fail(
      ErrorCode::kInvalidArgument,
      concat("The text has ", what, " at line ", line, ", column ", column, ", which ", to_string(encoding),
             ", the encoding of the file, cannot represent."),
      "Use characters that the file's encoding has, or convert the file to UTF-8 first.",
      JsonObject{
          {"encoding", to_string(encoding)}, {"character", shown}, {"line", line}, {"column", column}});
}

void append_utf16(std::string& out, char32_t character, bool little_endian) {
  const auto unit = [&](char32_t value) {
    const auto low = static_cast<char>(value & 0xFF);
    const auto high = static_cast<char>(value >> 8 & 0xFF);
    out += little_endian ? low : high;
    out += little_endian ? high : low;
  };
  if (character < 0x10000) return unit(character);
  unit(0xD800 + ((character - 0x10000) >> 10));
  unit(0xDC00 + ((character - 0x10000) & 0x3FF));
}

std::string decode_utf16(std::string_view bytes, bool little_endian) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(little_endian ? second << 8 | first : first << 8 | second);
  };
  std::string out;
  out.reserve(bytes.size());
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2) {
    char32_t character = unit(at);
    const bool high = character >= 0xD800 && character < 0xDC00;
    const char32_t next = high && at + 3 < bytes.size() ? unit(at + 2) : 0;
    if (next >= 0xDC00 && next < 0xE000) {
      character = 0x10000 + ((character - 0xD800) << 10) + (next - 0xDC00);
      at += 2;
    } else if (character >= 0xD800 && character < 0xE000) {
      character = 0xFFFD;
    }
    append_utf8(out, character);
  }
  if (at < bytes.size()) out += kReplacementCharacter;
  return out;
}

std::string decode_single_bytes(std::string_view bytes, const std::array<char16_t, 128>& table) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      append_utf8(out, table[byte - 0x80U]);
    }
  }
  return out;
}

// Appends the byte for a character. False when there is none.
bool append_single_byte(std::string& out, char32_t character, const std::array<char16_t, 128>& table) {
  if (character < 0x80) {
    out += static_cast<char>(character);
    return true;
  }
  const auto* found = std::ranges::find(table, character);
  if (found == table.end()) return false;
  out += static_cast<char>(0x80 + (found - table.begin()));
  return true;
}

}  // namespace

std::string to_string(const TextEncoding& encoding) {
  return concat(charset_name(encoding.charset), encoding.bom ? " with BOM" : "");
}

std::string_view bom_of(const TextEncoding& encoding) {
  if (!encoding.bom) return {};
  switch (encoding.charset) {
    case Charset::kUtf8: return "\xEF\xBB\xBF";
    case Charset::kUtf16Le: return "\xFF\xFE";
    case Charset::kUtf16Be: return "\xFE\xFF";
    default: return {};
  }
}

std::string_view without_bom(std::string_view bytes, const TextEncoding& encoding) {
  const std::string_view bom = bom_of(encoding);
  if (bytes.starts_with(bom)) bytes.remove_prefix(bom.size());
  return bytes;
}

std::string decode(std::string_view bytes, const TextEncoding& encoding) {
  if (encoding.unit_size() == 2) return decode_utf16(bytes, encoding.charset == Charset::kUtf16Le);
  if (const auto* table = upper_half(encoding.charset)) return decode_single_bytes(bytes, *table);
  return to_valid_utf8(bytes);
}

Expected<std::string> encode(std::string_view text, const TextEncoding& encoding) {
  if (const std::size_t invalid = find_invalid_utf8(text); invalid < text.size())
    return cannot_represent(text, invalid, kReplacementCharacter, "bytes that are not valid UTF-8", encoding);
  if (encoding.charset == Charset::kUtf8) return std::string(text);
  if (encoding.charset == Charset::kBinary)
    return fail(ErrorCode::kInvalidArgument, "The file is binary, not text.",
                "Replace it as a whole, or use exec with a program for its format.");
  const auto* table = upper_half(encoding.charset);
  std::string out;
  out.reserve(text.size() * encoding.unit_size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t length = utf8_character_length(rest);
    const char32_t character = utf8_code_point(rest.substr(0, length));
    if (table == nullptr) {
      append_utf16(out, character, encoding.charset == Charset::kUtf16Le);
    } else if (!append_single_byte(out, character, *table)) {
      const std::string_view shown = rest.substr(0, length);
      return cannot_represent(text, at, shown, concat("\"", shown, "\" (", code_point_name(character), ")"),
                              encoding);
    }
    at += length;
  }
  return out;
}

}  // namespace helve::text
