// Feeds arbitrary bytes to everything that reads a SKILL.md: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "skills/activate.h"
#include "skills/catalogue.h"
#include "skills/skill.h"
#include "skills/yaml.h"

// The first byte chooses what the rest is: YAML alone, front matter, or a whole file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  const int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  const helve::skills::YamlDocument document = helve::skills::parse_yaml(text);
  for (const helve::skills::YamlNote& note : document.notes)
    if (note.text.empty() || note.line < 0 || note.line > lines) __builtin_trap();
  (void)helve::to_text(helve::skills::to_json(document.map));

  const std::string file = data[0] % 3 == 0   ? text
                           : data[0] % 3 == 1 ? "---\n" + text + "\n---\nDo $1."
                                              : "---\ndescription: d\n" + text;
  const helve::skills::ParsedSkill parsed = helve::skills::parse_skill(file, "SKILL.md", "folder");
  for (const helve::skills::SkillProblem& problem : parsed.problems)
    if (problem.text.empty()) __builtin_trap();
  // A skill is left out only with a reason, and one that is kept has what every skill has.
  if (!parsed.skill) {
    if (parsed.problems.empty()) __builtin_trap();
    return 0;
  }
  const helve::skills::Skill& skill = *parsed.skill;
  if (skill.name.empty() || skill.description.empty()) __builtin_trap();
  if (skill.name.find('/') != std::string::npos || skill.name.find('\n') != std::string::npos)
    __builtin_trap();
  const helve::skills::Catalogue catalogue = helve::skills::skill_catalogue({&skill, 1}, 4096);
  if (catalogue.text.size() > 4096) __builtin_trap();
  // The catalogue always has its five elements and no more.
  if (catalogue.listed == 1 && std::count(catalogue.text.begin(), catalogue.text.end(), '<') != 10)
    __builtin_trap();
  (void)helve::skills::normalize_skill_allowed_tools(skill.allowed_tools);
  (void)helve::skills::fill_in_arguments(parsed.body, text, true, "/x");
  return 0;
}
