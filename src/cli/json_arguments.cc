#include "cli/json_arguments.h"

#include "base/json_parse.h"
#include "base/strings.h"
#include "cli/call.h"

namespace helve::cli {

Expected<Json> json_arguments(const std::string& given, std::string_view example) {
  const auto text = text_of_arguments(given);
  if (!text) return fail(text.error());
  auto arguments = parse_json(*text);
  if (!arguments) arguments.error().hint = concat("Write the arguments as JSON: ", example);
  return arguments;
}

}  // namespace helve::cli
