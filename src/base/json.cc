// The JSON value: access, comparison and construction.
#include "helve/json.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helve {

JsonObject::JsonObject() = default;
JsonObject::JsonObject(std::initializer_list<JsonMember> members) {
  members_.reserve(members.size());
  for (const JsonMember& member : members) members_.emplace_back(member.key, std::move(member.value));
}
JsonObject::JsonObject(const JsonObject&) = default;
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject& JsonObject::operator=(const JsonObject&) = default;
JsonObject& JsonObject::operator=(JsonObject&&) noexcept = default;
JsonObject::~JsonObject() = default;

const Json* JsonObject::find(std::string_view key) const {
  for (const Member& member : members_)
    if (member.first == key) return &member.second;
  return nullptr;
}

Json* JsonObject::find(std::string_view key) {
  return const_cast<Json*>(static_cast<const JsonObject*>(this)->find(key));
}

Json& JsonObject::operator[](std::string_view key) {
  if (Json* found = find(key)) return *found;
  return append(std::string(key), Json());
}

Json& JsonObject::append(std::string key, Json value) {
  if (members_.empty()) members_.reserve(4);  // avoids moving the members for typical sizes
  return members_.emplace_back(std::move(key), std::move(value)).second;
}

bool JsonObject::erase(std::string_view key) {
  return std::erase_if(members_, [&](const Member& member) { return member.first == key; }) > 0;
}

bool JsonObject::operator==(const JsonObject& other) const {
  if (size() != other.size()) return false;
  return std::ranges::all_of(members_, [&](const Member& member) {
    const Json* counterpart = other.find(member.first);
    return counterpart != nullptr && *counterpart == member.second;
  });
}

void Json::set_unsigned(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    value_ = static_cast<std::int64_t>(value);
  else
    value_ = value;
}

double Json::as_double() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
  return std::get<double>(value_);
}

bool Json::fits_int64(std::int64_t& out) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    out = *whole;
    return true;
  }
  if (const auto* real = std::get_if<double>(&value_)) {
    constexpr double kTwoTo63 = 9223372036854775808.0;
    if (*real != std::trunc(*real) || *real < -kTwoTo63 || *real >= kTwoTo63) return false;
    out = static_cast<std::int64_t>(*real);
    return true;
  }
  return false;
}

const Json* Json::find(std::string_view key) const {
  const auto* object = std::get_if<JsonObject>(&value_);
  return object != nullptr ? object->find(key) : nullptr;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = JsonObject();
  return as_object()[key];
}

void Json::push_back(Json element) {
  if (is_null()) value_ = JsonArray();
  as_array().push_back(std::move(element));
}

std::string_view Json::type_name() const {
  if (is_null()) return "null";
  if (is_bool()) return "boolean";
  if (is_integer()) return "integer";
  if (is_double()) return "number";
  if (is_string()) return "string";
  return is_array() ? "array" : "object";
}

bool Json::operator==(const Json& other) const {
  if (value_.index() != other.value_.index())
    return is_number() && other.is_number() && as_double() == other.as_double();
  return value_ == other.value_;
}

}  // namespace helve
