#include "checkers/checker_spec.h"

#include <algorithm>

#include "base/find_program.h"
#include "base/strings.h"

namespace helve::checkers {

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words = split(list, ' ');
  std::erase(words, "");
  return words;
}

std::vector<const CheckerSpec*> checkers_for(Purpose purpose, std::string_view language) {
  std::vector<const CheckerSpec*> found;
  for (const CheckerSpec& spec : checker_table()) {
    if (spec.purpose != purpose) continue;
    const std::vector<std::string_view> languages = words_of(spec.languages);
    if (language.empty() || std::ranges::find(languages, language) != languages.end()) found.push_back(&spec);
  }
  return found;
}

std::string_view noun_of(Purpose purpose) { return purpose == Purpose::kFormat ? "formatter" : "linter"; }

std::vector<CheckerStatus> checker_status() {
  std::vector<CheckerStatus> all;
  for (const CheckerSpec& spec : checker_table()) {
    CheckerStatus status{.spec = &spec};
    for (const std::string_view name : words_of(spec.programs))
      if (status.program.empty()) status.program = find_program(std::string(name)).value_or("");
    all.push_back(std::move(status));
  }
  return all;
}

}  // namespace helve::checkers
