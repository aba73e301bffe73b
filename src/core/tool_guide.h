// Which tool is for what, and what to try when one fails: built-in advice, adjusted by the settings.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/settings/guide.h"

namespace helve::core {

// Whether a tool of this name exists.
using Offers = std::function<bool(std::string_view tool)>;

// "Find text in files → grep", in a stable order; only for existing tools.
[[nodiscard]] std::vector<std::string> intent_lines(const GuideSettings& guide,
                                                    const std::vector<std::string>& tools);

// The tools to try, in order, when this one fails; only existing tools.
[[nodiscard]] std::vector<std::string> fallbacks_of(const GuideSettings& guide, std::string_view tool,
                                                    const Offers& offers);
// "code_query, find_symbols → grep, then read" for the tools that have alternatives.
[[nodiscard]] std::vector<std::string> fallback_lines(const GuideSettings& guide,
                                                      const std::vector<std::string>& tools);

// "find/grep → read → edit/write", as far as these tools exist; empty for fewer than two steps.
[[nodiscard]] std::string order_of_work(const std::vector<std::string>& tools);

// Adds "Try instead: …" to an error that another tool can avoid. Not for invalid calls, refusals and missing
// things, where the call itself must change, nor when the hint already names such a tool.
void add_fallbacks(const GuideSettings& guide, std::string_view tool, const Offers& offers, Error& error);

}  // namespace helve::core
