// The JSON arguments of one call, as helve call and helve explain take them.
#pragma once

#include <string>
#include <string_view>

#include "helve/error.h"
#include "helve/json.h"

namespace helve::cli {

// JSON itself, @FILE, or - for stdin. What is no JSON is an error with `example` as its hint.
[[nodiscard]] Expected<Json> json_arguments(const std::string& given, std::string_view example);

}  // namespace helve::cli
