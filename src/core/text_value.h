// Values that people write as plain text: flags, environment variables, --set key=value.
#pragma once

#include <string_view>

#include "helve/params.h"

namespace helve {

// `true`, `12`, `a,b`, plain text or JSON, as the type wants it. The error says what was expected.
[[nodiscard]] Expected<Json> value_from_text(const ParamType& type, std::string_view text);

}  // namespace helve
