// Which tool is for what, and what to try when one fails: Helve's own knowledge with the changes that the
// settings make to it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/service_settings.h"

namespace helve {

// Whether a tool of that name can be called.
using Offers = std::function<bool(std::string_view tool)>;

// "Find text in files → grep", in a stable order; only lines whose tools are there.
[[nodiscard]] std::vector<std::string> intent_lines(const settings::Guide& guide,
                                                    const std::vector<std::string>& tools);

// What to try, one after the other, when the tool fails; only what is there.
[[nodiscard]] std::vector<std::string> fallbacks_of(const settings::Guide& guide, std::string_view tool,
                                                    const Offers& offers);
// "code_query → grep, then read" for each of the tools that has some.
[[nodiscard]] std::vector<std::string> fallback_lines(const settings::Guide& guide,
                                                      const std::vector<std::string>& tools);

// Adds "Try instead: …" to an error after which another tool can help. A wrong call, a refusal or something
// that is not there is none: there, the call has to change. Nor where the hint names such a tool already.
void add_fallbacks(const settings::Guide& guide, std::string_view tool, const Offers& offers, Error& error);

}  // namespace helve
