#include "skills/catalogue.h"

#include <array>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::skills {
namespace {

constexpr std::string_view kOpening = "<available_skills>\n";
constexpr std::string_view kClosing = "</available_skills>\n";
// Limits for a description in characters, from the maximum of a skill to the shortest useful length.
constexpr auto kDescriptionLengths = std::to_array<std::size_t>({1024, 512, 256, 128, 64});

std::string_view first_characters(std::string_view text, std::size_t most) {
  std::size_t bytes = 0;
  for (std::size_t count = 0; count < most && bytes < text.size(); ++count)
    bytes += std::max<std::size_t>(utf8_character_length(text.substr(bytes)), 1);
  return text.substr(0, bytes);
}

// On one line, without characters that XML does not allow.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_gap = static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
    if (!is_gap)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string entry_of(const Skill& skill, std::size_t length, bool& shortened) {
  const std::string whole = one_line(skill.description);
  std::string description(first_characters(whole, length));
  if (description.size() < whole.size()) {
    description += "…";
    shortened = true;
  }
  return concat("<skill>\n<name>", escape_xml(one_line(skill.name)), "</name>\n<description>",
                escape_xml(description), "</description>\n<location>", escape_xml(one_line(skill.location)),
                "</location>\n</skill>\n");
}

}  // namespace

Catalogue skill_catalogue(std::span<const Skill> skills, std::size_t max_bytes) {
  Catalogue catalogue;
  for (const std::size_t length : kDescriptionLengths) {
    catalogue = {};
    std::string entries;
    for (const Skill& skill : skills) {
      if (skill.disable_model_invocation) continue;
      const std::string entry = entry_of(skill, length, catalogue.shortened);
      const bool fits = catalogue.left_out == 0 &&
                        kOpening.size() + entries.size() + entry.size() + kClosing.size() <= max_bytes;
      if (fits) entries += entry;
      ++(fits ? catalogue.listed : catalogue.left_out);
    }
    if (catalogue.listed > 0) catalogue.text = concat(kOpening, entries, kClosing);
    if (catalogue.left_out == 0) break;
  }
  return catalogue;
}

}  // namespace helve::skills
