// Text fit to stand in XML.
#pragma once

#include <string>
#include <string_view>

namespace helve {

// For text and for attributes in double quotes.
[[nodiscard]] std::string escape_xml(std::string_view text);

}  // namespace helve
