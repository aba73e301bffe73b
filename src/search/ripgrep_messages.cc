#include "search/ripgrep_messages.h"

#include <array>
#include <utility>

#include "base/base64.h"
#include "base/json_parse.h"

namespace helve::search {
namespace {

RipgrepMessage::Kind kind_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, RipgrepMessage::Kind>, 5> kMessages = {
      {{"begin", RipgrepMessage::Kind::kBegin},
       {"match", RipgrepMessage::Kind::kMatch},
       {"context", RipgrepMessage::Kind::kContext},
       {"end", RipgrepMessage::Kind::kEnd},
       {"summary", RipgrepMessage::Kind::kSummary}}};
  for (const auto& [name, kind] : kMessages) {
    if (name == type) return kind;
  }
  return RipgrepMessage::Kind::kOther;
}

// {"text": …} or, for what is no UTF-8, {"bytes": base64}.
std::optional<std::string> bytes_of(const Json* value) {
  if (value == nullptr) return {};
  if (const Json* text = value->find("text"); text != nullptr && text->is_string()) return text->as_string();
  if (const Json* bytes = value->find("bytes"); bytes != nullptr && bytes->is_string())
    return from_base64(bytes->as_string());
  return {};
}

std::size_t number_of(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  std::int64_t number = 0;
  return value != nullptr && value->fits_int64(number) && number > 0 ? static_cast<std::size_t>(number) : 0;
}

}  // namespace

std::optional<RipgrepMessage> parse_message(std::string_view line) {
  const auto json = parse_json(line);
  if (!json) return {};
  const Json* type = json->find("type");
  const Json* data = json->find("data");
  if (type == nullptr || !type->is_string() || data == nullptr || !data->is_object()) return {};
  RipgrepMessage message{.kind = kind_of(type->as_string())};
  if (const auto path = bytes_of(data->find("path"))) message.path = *path;
  if (auto lines = bytes_of(data->find("lines"))) message.lines = std::move(*lines);
  message.line_number = number_of(*data, "line_number");
  if (const Json* submatches = data->find("submatches"); submatches != nullptr && submatches->is_array()) {
    for (const Json& match : submatches->as_array())
      message.matches.push_back({number_of(match, "start"), number_of(match, "end")});
  }
  const Json* binary = data->find("binary_offset");
  message.binary = binary != nullptr && !binary->is_null();
  return message;
}

}  // namespace helve::search
