#include "policy/catastrophe_scripts.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::policy {
namespace {

// Skips to the position after the next delimiter; npos if there is none. `section` receives what was skipped.
std::size_t skip_to(std::string_view script, std::size_t at, char delimiter, std::string& section) {
  section.clear();
  for (; at < script.size(); ++at) {
    if (script[at] == '\\' && at + 1 < script.size()) {
      if (script[at + 1] != delimiter) section += script[at];
      section += script[++at];
    } else if (script[at] == delimiter) {
      return at + 1;
    } else {
      section += script[at];
    }
  }
  return std::string_view::npos;
}

}  // namespace

SedEffects read_sed_script(std::string_view script) {
  constexpr std::string_view kBefore = " \t\n;{}!0123456789,$~+IM";  // addresses among them
  SedEffects effects;
  std::string section;
  for (std::size_t at = 0; at < script.size();) {
    if (kBefore.contains(script[at])) {
      ++at;
      continue;
    }
    const char command = script[at];
    const std::size_t line_end = std::min(script.find('\n', at), script.size());
    const std::string_view rest = trim(script.substr(at + 1, line_end - at - 1));
    if (command == '/') {
      at = skip_to(script, at + 1, '/', section);
    } else if (command == 's' && at + 1 < script.size()) {
      const char delimiter = script[at + 1];
      at = skip_to(script, at + 2, delimiter, section);
      if (at != std::string_view::npos) at = skip_to(script, at, delimiter, section);
      if (at == std::string_view::npos) break;
      for (; at < script.size() && !std::string_view(";}\n ").contains(script[at]); ++at) {
        if (script[at] == 'e') {
          effects.commands.push_back(section);
          effects.runs_input = true;
        } else if (script[at] == 'w') {
          effects.files.emplace_back(trim(script.substr(at + 1, line_end - std::min(line_end, at + 1))));
          at = line_end;
          break;
        }
      }
    } else if (command == 'e' || command == 'w' || command == 'W') {
      if (command != 'e')
        effects.files.emplace_back(rest);
      else if (rest.empty() || rest.starts_with(';') || rest.starts_with('}'))
        effects.runs_input = true;
      else
        effects.commands.emplace_back(rest);
      at = line_end;
    } else {
      at = std::min(script.find_first_of(";\n}", at), script.size());
    }
    if (at == std::string_view::npos) break;
  }
  return effects;
}

}  // namespace helve::policy
