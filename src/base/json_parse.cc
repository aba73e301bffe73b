// Parses with Boost.JSON's push parser into Helve's own JSON values. No other file uses Boost.JSON.
#include "base/json_parse.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_set>

#include "base/strings.h"
#include "base/utf8.h"
#include "helve/error.h"

namespace helve {
namespace {

namespace bj = boost::json;

// Builds the value from the parser's events. refusal() gives the reason and the place of a rejected value.
class Builder {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  explicit Builder(const JsonLimits& limits) : limits_(limits) { levels_.reserve(kUsualDepth); }

  bool on_document_begin(bj::error_code&) { return true; }
  bool on_document_end(bj::error_code&) { return true; }

  bool on_object_begin(bj::error_code& ec) { return open(Json(JsonObject()), ec); }
  bool on_array_begin(bj::error_code& ec) { return open(Json(JsonArray()), ec); }
  bool on_object_end(std::size_t, bj::error_code&) { return close(); }
  bool on_array_end(std::size_t, bj::error_code&) { return close(); }

  bool on_key_part(bj::string_view part, std::size_t, bj::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_key(bj::string_view part, std::size_t, bj::error_code& ec) {
    text_.append(part.data(), part.size());
    Level& level = levels_.back();
    level.key.swap(text_);
    text_.clear();
    if (!level.is_new_key()) return refuse(ec, concat("duplicate key \"", level.key, "\"", where()));
    return true;
  }

  bool on_string_part(bj::string_view part, std::size_t, bj::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_string(bj::string_view part, std::size_t, bj::error_code& ec) {
    text_.append(part.data(), part.size());
    return add(Json(std::exchange(text_, {})), ec) != nullptr;
  }

  bool on_number_part(bj::string_view part, bj::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t number, bj::string_view, bj::error_code& ec) {
    text_.clear();
    return add(Json(number), ec) != nullptr;
  }
  bool on_uint64(std::uint64_t number, bj::string_view, bj::error_code& ec) {
    text_.clear();
    return add(Json(number), ec) != nullptr;
  }
  // The parser's own conversion is off by one in the last place for some numbers, so the text is converted
  // again.
  bool on_double(double number, bj::string_view part, bj::error_code& ec) {
    text_.append(part.data(), part.size());
    const std::string digits = std::exchange(text_, {});
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (!std::isfinite(number)) return refuse(ec, concat("a number is too large", where()));
    return add(Json(number), ec) != nullptr;
  }
  bool on_bool(bool value, bj::error_code& ec) { return add(Json(value), ec) != nullptr; }
  bool on_null(bj::error_code& ec) { return add(Json(), ec) != nullptr; }
  bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
  bool on_comment(bj::string_view, bj::error_code&) { return true; }

  Json take() { return std::move(root_); }
  const std::string& refusal() const { return refusal_; }

 private:
  static constexpr std::size_t kUsualDepth = 8;

  // A container that is being read. The pointer stays valid: its parent does not change until it ends.
  struct Level {
    Json* value;
    std::string key = {};  // of the member that is being read
    // The keys of a large object. Small objects are searched instead.
    std::unique_ptr<std::unordered_set<std::string>> seen = {};

    bool is_new_key() {
      constexpr std::size_t kLarge = 16;
      const JsonObject& object = value->as_object();
      if (object.size() < kLarge) return !object.contains(key);
      if (!seen) {
        seen = std::make_unique<std::unordered_set<std::string>>();
        for (const auto& member : object) seen->insert(member.first);
      }
      return seen->insert(key).second;
    }
  };

  bool open(Json container, bj::error_code& ec) {
    if (levels_.size() == limits_.max_depth)
      return refuse(ec, concat("it is nested deeper than ", limits_.max_depth, " levels"));
    Json* const value = add(std::move(container), ec);
    if (value == nullptr) return false;
    levels_.push_back({value});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  // Returns the value's final place, or null if it was refused.
  Json* add(Json value, bj::error_code& ec) {
    if (++values_ > limits_.max_values) {
      refuse(ec, concat("it has more than ", with_thousands(limits_.max_values), " values"));
      return nullptr;
    }
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.value->is_object())
      return &level.value->as_object().append(std::move(level.key), std::move(value));
    return &level.value->as_array().emplace_back(std::move(value));
  }

  bool refuse(bj::error_code& ec, std::string reason) {
    refusal_ = std::move(reason);
    ec = bj::error::syntax;
    return false;
  }

  // " in edits[1].oldText"; empty at the top level.
  std::string where() const {
    std::string path;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      const Json& value = *levels_[i].value;  // its last member or element is the next level
      if (value.is_array())
        path += concat("[", value.as_array().size() - 1, "]");
      else
        path += concat(path.empty() ? "" : ".", std::prev(value.as_object().end())->first);
    }
    return path.empty() ? path : concat(" in ", path);
  }

  std::vector<Level> levels_;
  std::string text_;
  Json root_;
  std::string refusal_;
  const JsonLimits& limits_;
  std::size_t values_ = 0;
};

// Whether the text just before `at` is the first half of a surrogate pair, as in "\\ud83d".
bool follows_leading_surrogate(std::string_view text, std::size_t at) {
  constexpr std::size_t kEscapeLength = 6;
  if (at < kEscapeLength || at > text.size()) return false;
  const std::string escape = to_lower(text.substr(at - kEscapeLength, 4));
  return escape == "\\ud8" || escape == "\\ud9" || escape == "\\uda" || escape == "\\udb";
}

std::string describe_problem(const bj::error_code& ec, std::string_view text, std::size_t at) {
  if (ec == bj::error::incomplete) return "unexpected end of input";
  if (ec == bj::error::extra_data) return "unexpected text after the value";
  if (const std::size_t invalid = find_invalid_utf8(text); invalid <= at && invalid < text.size())
    return concat("byte ", invalid + 1, " is not valid UTF-8");
  if (ec == bj::error::expected_hex_digit) return "\\u needs four hexadecimal digits";
  if (ec == bj::error::illegal_leading_surrogate || ec == bj::error::illegal_trailing_surrogate ||
      ec == bj::error::expected_utf16_escape || follows_leading_surrogate(text, at))
    return "a \\u escape is half of a surrogate pair";
  if (at >= text.size()) return "unexpected end of input";
  const char found = text[at];
  if (static_cast<unsigned char>(found) < 0x20)
    return "a string contains a line break or control character; escape it, for example as \\n";
  return concat("unexpected '",
                text.substr(at, std::max<std::size_t>(1, utf8_character_length(text.substr(at)))), "'");
}

Error not_json(std::string_view text, std::size_t at, std::string_view problem) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::size_t column = 1 + count_characters(before.substr(line_start));
  return {ErrorCode::kInvalidArgument,
          concat("This is not valid JSON: ", problem, " (line ", line, ", column ", column, ")."),
          "Send one complete JSON value in UTF-8, with double quotes around keys and strings.",
          JsonObject{{"line", Json(line)}, {"column", Json(column)}}};
}

}  // namespace

Expected<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes)
    return fail(ErrorCode::kInvalidArgument,
                concat("The JSON text is ", with_thousands(text.size()), " bytes long; the limit is ",
                       with_thousands(limits.max_bytes), "."),
                "Send less data at once.");
  bj::parse_options options;
  options.max_depth = static_cast<std::size_t>(-1);  // the builder checks the depth and reports the place
  bj::basic_parser<Builder> parser(options, limits);
  bj::error_code ec;
  const std::size_t consumed = parser.write_some(false, text.data(), text.size(), ec);
  std::size_t end = consumed;
  while (end < text.size() && std::string_view(" \t\r\n").find(text[end]) != std::string_view::npos) ++end;
  if (!ec && end < text.size()) ec = bj::error::extra_data;
  if (!ec) return parser.handler().take();
  const std::string& refusal = parser.handler().refusal();
  return fail(not_json(text, end, refusal.empty() ? describe_problem(ec, text, end) : refusal));
}

}  // namespace helve
