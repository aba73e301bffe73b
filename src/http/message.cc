#include "http/message.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve::http {
namespace {

bool same_name(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return to_lower(c); };
  return std::ranges::equal(left, right, {}, lower, lower);
}

}  // namespace

const std::string* Headers::find(std::string_view name) const {
  for (const Field& field : fields_)
    if (same_name(field.first, name)) return &field.second;
  return nullptr;
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields_, [&](const Field& field) { return same_name(field.first, name); }));
}

}  // namespace helve::http
