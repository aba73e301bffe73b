// Values written as plain text: flags, environment variables, --set key=value.
#pragma once

#include <string_view>

#include "helve/params.h"

namespace helve::settings {

// `true`, `12`, `a,b`, plain text or JSON, depending on the type. The error says what was expected.
[[nodiscard]] Expected<Json> value_from_text(const ParamType& type, std::string_view text);

}  // namespace helve::settings
