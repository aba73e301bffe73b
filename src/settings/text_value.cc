#include "settings/text_value.h"

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/to_number.h"

namespace helve::settings {
namespace {

using Kind = ParamType::Kind;

std::unexpected<Error> not_a(std::string_view wanted, std::string_view text) {
  return fail(ErrorCode::kInvalidArgument, concat("must be ", wanted, ", but is \"", text, "\""));
}

Expected<Json> boolean_from(std::string_view text) {
  const std::string plain = to_lower(text);
  if (plain == "true" || plain == "yes" || plain == "on" || plain == "1") return true;
  if (plain == "false" || plain == "no" || plain == "off" || plain == "0") return false;
  return not_a("true or false", text);
}

Expected<Json> json_from(std::string_view text) {
  auto value = parse_json(text);
  if (!value) value.error().message = concat("must be JSON. ", value.error().message);
  return value;
}

Expected<Json> list_from(const ParamType& element, std::string_view text) {
  if (trim(text).starts_with('[')) return json_from(text);
  if (element.kind == Kind::kObject || element.kind == Kind::kArray || element.kind == Kind::kMap)
    return json_from(text);
  JsonArray list;
  if (trim(text).empty()) return list;
  for (const std::string_view piece : split(text, ',')) {
    auto value = value_from_text(element, trim(piece));
    if (!value) return value;
    list.push_back(*std::move(value));
  }
  return list;
}

}  // namespace

Expected<Json> value_from_text(const ParamType& type, std::string_view text) {
  switch (type.kind) {
    case Kind::kString: return Json(text);
    case Kind::kBoolean: return boolean_from(text);
    case Kind::kInteger:
      if (const auto whole = to_number<std::int64_t>(text)) return Json(*whole);
      return not_a("a whole number", text);
    case Kind::kNumber:
      if (const auto number = to_number<double>(text)) return Json(*number);
      return not_a("a number", text);
    case Kind::kArray: return list_from(type.element.front(), text);
    case Kind::kObject:
    case Kind::kMap: return json_from(text);
    case Kind::kAny: {
      auto value = parse_json(text);
      return value ? value : Expected<Json>(Json(text));
    }
  }
  return Json(text);
}

}  // namespace helve::settings
