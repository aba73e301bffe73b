#include "workspace/text_encoding.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve {
namespace {

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

// Where `offset` is, for people: line and column count from 1, columns in characters.
std::pair<std::size_t, std::size_t> line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto breaks = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {breaks + 1, count_characters(before.substr(line_start)) + 1};
}

std::unexpected<Error> cannot_hold(std::string_view text, std::size_t offset, std::string_view shown,
                                   std::string_view what, const TextEncoding& encoding) {
  const auto [line, column] = line_and_column(text, offset);
  return fail(
      ErrorCode::kInvalidArgument,
      concat("The text has ", what, " at line ", line, ", column ", column, ", which ", to_string(encoding),
             ", the encoding of the file, cannot hold."),
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

// Appends the one byte for a character. False when there is none.
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
    return cannot_hold(text, invalid, kReplacementCharacter, "bytes that are no valid UTF-8", encoding);
  if (encoding.charset == Charset::kUtf8) return std::string(text);
  if (encoding.charset == Charset::kBinary)
    return fail(ErrorCode::kInvalidArgument, "The file is binary and holds no text.",
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
      return cannot_hold(text, at, shown, concat("\"", shown, "\" (", code_point_name(character), ")"),
                         encoding);
    }
    at += length;
  }
  return out;
}

}  // namespace helve
