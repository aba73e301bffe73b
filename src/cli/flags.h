// Parses command-line flags from the parameter descriptions of commands and tools.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/params.h"

namespace helve::cli {

// The flags and positionals of a command or tool.
struct FlagSet {
  ParamType options;                     // members are the flags: oldText is --old-text
  std::vector<std::string> positionals;  // members that may be given without their flag, in this order
};

struct ParsedFlags {
  Json values;                        // of the command's own flags
  Json globals;                       // of flags that only `globals` knows
  std::vector<Complaint> complaints;  // all of them; paths are flags as the user writes them
  bool help = false;                  // --help or -h was among them
};

// Reads "-" (stdin) or "@FILE".
using ReadText = std::function<Expected<std::string>(const std::string& given)>;

// --flag value, --flag=value, --switch, --no-switch, -v, -q, -h; a list flag may be repeated. `--` ends the
// flags. The command's own flags win over global ones of the same name. With `read`, "-" in place of a whole
// text, and "-" or "@FILE" in place of objects, is what it reads there.
[[nodiscard]] ParsedFlags parse_flags(const FlagSet& flags, const ParamType& globals,
                                      std::span<const std::string> words, const ReadText& read = {});

// oldText → --old-text
[[nodiscard]] std::string flag_name(std::string_view member);

// The member that a flag (without value) names, or null.
[[nodiscard]] const Param* find_flag(const ParamType& options, std::string_view flag);

// Whether a list flag accepts several elements separated by commas.
[[nodiscard]] bool splits_at_commas(const Param& param);

// Whether the value is an object or a list of objects, written as JSON.
[[nodiscard]] bool is_structured(const ParamType& type);

// Expands -v to --verbose and so on; other words stay unchanged.
[[nodiscard]] std::string_view long_form(std::string_view flag);

// A tool's parameters as flags. Positionals are the required strings and numbers, or else a query or the
// first optional parameter, and then path.
[[nodiscard]] FlagSet flags_of_tool(const ParamType& params);

}  // namespace helve::cli
