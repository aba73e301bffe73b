#include "policy/printed_text.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "policy/command_words.h"
#include "shell/options.h"

namespace helve::policy {
namespace {

using shell::lists;

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

// Reads up to `most` digits of the base; the position is left behind them.
char read_code(std::string_view text, std::size_t& at, int base, std::size_t most) {
  int value = 0;
  for (std::size_t count = 0; count < most && at < text.size() && digit_value(text[at]) < base; ++count)
    value = value * base + digit_value(text[at++]);
  return static_cast<char>(value);
}

std::string from_base64(std::string_view text) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) continue;
    bits = (bits << 6U) | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
  }
  return out;
}

std::string from_hex(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool digit = digit_value(text[at]) < 16;
    if (digit)
      out += read_code(text, at, 16, 2);
    else
      ++at;
  }
  return out;
}

// a-cx → abcx
std::string set_of(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 2 < text.size() && text[i + 1] == '-') {
      for (int c = text[i]; c <= text[i + 2]; ++c) out += static_cast<char>(c);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string translated(std::string_view text, const std::string& from, const std::string& to) {
  std::string out;
  for (const char c : text) {
    const std::size_t place = from.find(c);
    if (place == std::string::npos)
      out += c;
    else if (!to.empty())
      out += to[std::min(place, to.size() - 1)];
  }
  return out;
}

std::string reversed_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line.rbegin(), line.rend());
  return join(lines, "\n");
}

// s/a/b/ of plain texts; the input for everything else.
std::string substituted(std::string_view script, std::string_view text) {
  if (script.size() < 4 || script[0] != 's') return std::string(text);
  const auto parts = split(script.substr(2), script[1]);
  return parts.size() < 2 || parts[0].empty() ? std::string(text) : replace_all(text, parts[0], parts[1]);
}

}  // namespace

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out += text[at++];
      continue;
    }
    const char kind = text[at + 1];
    at += 2;
    constexpr std::string_view kLetters = "abefnrtv";
    constexpr std::string_view kMeanings = "\a\b\x1b\f\n\r\t\v";
    if (kind == 'x') {
      out += read_code(text, at, 16, 2);
    } else if (kind == 'u') {
      out += read_code(text, at, 16, 4);
    } else if (digit_value(kind) < 8) {
      at -= 1;
      out += read_code(text, at, 8, kind == '0' ? 4 : 3);
    } else if (const std::size_t letter = kLetters.find(kind); letter != std::string_view::npos) {
      out += kMeanings[letter];
    } else if (kind != 'c') {
      out += kind == '\\' ? "\\" : concat("\\", std::string(1, kind));
    }
  }
  return out;
}

std::string formatted(std::span<const std::string> words) {
  if (words.empty()) return {};
  const std::string format = words.front();
  std::size_t next = 1;
  std::string out;
  do {
    std::string round;
    for (std::size_t at = 0; at < format.size(); ++at) {
      if (format[at] != '%') {
        round += format[at];
        continue;
      }
      ++at;
      while (at < format.size() && std::string_view("0123456789.-+ #").contains(format[at])) ++at;
      if (at >= format.size()) break;
      if (format[at] == '%') {
        round += "%%";
      } else if (next < words.size()) {
        // The escapes of the arguments stay, except for %b.
        const std::string& word = words[next++];
        round += format[at] == 'b' ? word : replace_all(word, "\\", "\\\\");
      }
    }
    out += without_escapes(replace_all(round, "%%", "%"));
  } while (next > 1 && next < words.size());
  return out;
}

std::optional<std::string> filtered(std::span<const std::string> words, std::string_view input) {
  if (words.empty()) return std::nullopt;
  const std::string_view program = program_name(words.front());
  const auto has = [&](std::string_view list) {
    return std::ranges::any_of(words.subspan(1), [&](const std::string& word) { return lists(list, word); });
  };
  if (lists("cat tee sort uniq tac head tail grep egrep stdbuf pv", program)) return std::string(input);
  if (lists("base64 basenc", program) && has("-d -D --decode -di -id")) return from_base64(input);
  if (program == "openssl" && has("base64 -base64 -a") && has("-d")) return from_base64(input);
  if (program == "xxd" && has("-r -revert -rp -pr")) return from_hex(input);
  if (program == "rev") return reversed_lines(input);
  if (program == "tr" && words.size() == 3)
    return words[1] == "-d" ? translated(input, set_of(words[2]), "")
                            : translated(input, set_of(words[1]), set_of(words[2]));
  if (program == "sed" && words.size() >= 2) return substituted(words.back(), input);
  if (lists("awk gawk mawk", program) && words.size() == 2 && lists("1 {print} //", words[1]))
    return std::string(input);
  return std::nullopt;
}

}  // namespace helve::policy
