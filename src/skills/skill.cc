#include "skills/skill.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/sha256.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "skills/allowed_tools.h"
#include "skills/yaml.h"
#include "text/text_encoding.h"
#include "workspace/listing.h"

namespace helve::skills {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Removes the first line from the text and returns it without its line break.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

bool is_fence(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark)) return false;
  const std::string_view behind = line.substr(mark.size());
  return trim(behind).empty() || (behind.front() == ' ' && trim(behind).starts_with('#'));  // a comment
}

struct FrontMatter {
  bool opened = false;  // the text starts with ---
  bool closed = false;  // and has a second ---
  std::string_view yaml = {};
  int yaml_line = 0;           // number of its first line
  std::string_view body = {};  // the whole text when there is no front matter
  int body_line = 1;
};

// Finds the YAML between the `---` lines at the start. Ignores a byte order mark and blank lines before it.
FrontMatter split_front_matter(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  FrontMatter found{.body = text};
  std::string_view rest = text;
  int line = 1;
  std::string_view first = take_line(rest);
  for (; trim(first).empty() && !rest.empty(); ++line) first = take_line(rest);
  if (!is_fence(first, "---")) return found;
  found.opened = true;
  found.yaml_line = ++line;
  const std::string_view yaml = rest;
  while (!rest.empty()) {
    const std::size_t length = yaml.size() - rest.size();
    const std::string_view here = take_line(rest);
    ++line;
    if (!is_fence(here, "---") && !is_fence(here, "...")) continue;
    found.closed = true;
    found.yaml = yaml.substr(0, length);
    found.body = rest;
    found.body_line = line;
    return found;
  }
  return found;
}

using Severity = SkillProblem::Severity;

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestDescription = 1024;
constexpr std::size_t kLongestCompatibility = 500;

constexpr auto kOurKeys = std::to_array<std::string_view>(
    {"name", "description", "license", "compatibility", "metadata", "allowed-tools", "allowedTools",
     "argument-hint", "disable-model-invocation", "user-invocable"});

// Whether a character outside of ASCII may be in a name: a letter or digit that is not in upper case. Knows
// the scripts with upper case, and the blocks of signs.
bool is_name_character(char32_t character) {
  const auto within = [&](char32_t first, char32_t last) { return first <= character && character <= last; };
  const bool sign = within(0x80, 0xBF) || character == 0xD7 || character == 0xF7 || within(0x2000, 0x2BFF) ||
                    within(0x3000, 0x303F) || within(0xE000, 0xF8FF) || within(0xFE00, 0xFE6F) ||
                    within(0xFF00, 0xFF0F) || within(0xFFF0, 0xFFFF) || within(0x1F000, 0x1FAFF) ||
                    within(0xE0000, 0x10FFFF);
  const bool upper =
      within(0xC0, 0xDE) || within(0x391, 0x3AB) || within(0x400, 0x42F) || within(0x531, 0x556) ||
      within(0xFF21, 0xFF3A) || (within(0x100, 0x137) && character % 2 == 0) ||
      (within(0x139, 0x148) && character % 2 == 1) || (within(0x14A, 0x177) && character % 2 == 0) ||
      (within(0x460, 0x481) && character % 2 == 0);
  return !sign && !upper;
}

bool is_good_name(std::string_view name) {
  if (name.empty() || count_characters(name) > kLongestName || !is_valid_utf8(name)) return false;
  if (name.starts_with('-') || name.ends_with('-') || name.find("--") != std::string_view::npos) return false;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t length = utf8_character_length(rest);
    const char32_t character = utf8_code_point(rest.substr(0, length));
    const bool plain = std::string_view("abcdefghijklmnopqrstuvwxyz0123456789-").contains(rest.front());
    if (length == 1 ? !plain : !is_name_character(character)) return false;
    rest.remove_prefix(length);
  }
  return true;
}

// Not a valid name, but usable in a prompt, a menu and a URL.
bool is_usable_name(std::string_view name) {
  return !name.empty() && name.size() <= 2 * kLongestName && is_valid_utf8(name) &&
         std::ranges::none_of(name, [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '/' || c == '\\' || c == '"' ||
                  c == '<' || c == '>';
         });
}

class SkillReader {
 public:
  SkillReader(const std::string& file, const std::string& folder, const MoreTools& more)
      : file_(file), folder_(folder), more_(more) {}

  ParsedSkill read(std::string_view bytes) {
    if (bytes.size() > kMostSkillBytes) {
      error(0, concat("it is larger than ", workspace::readable_size(kMostSkillBytes),
                      ", which is all that is read. Move parts of it into files beside it."));
      return std::move(parsed_);
    }
    const std::string text = decoded(bytes);
    if (!text.empty() || bytes.empty()) read_text(text);
    std::ranges::stable_sort(parsed_.problems, {}, &SkillProblem::line);
    return std::move(parsed_);
  }

 private:
  void error(int line, std::string text) {
    parsed_.problems.push_back({Severity::kError, file_, line, std::move(text)});
  }
  void warn(int line, std::string text) {
    parsed_.problems.push_back({Severity::kWarning, file_, line, std::move(text)});
  }

  // Converts to UTF-8 with \n line breaks; empty when it is not text.
  std::string decoded(std::string_view bytes) {
    std::string text(bytes);
    if (!is_valid_utf8(bytes) || bytes.find('\0') != std::string_view::npos) {
      const text::TextEncoding encoding = text::detect_encoding(bytes);
      if (!encoding.is_text()) {
        error(0, "it is not a text file.");
        return {};
      }
      warn(0, concat("it is not UTF-8; it was read as ", text::to_string(encoding), "."));
      text = text::decode(text::without_bom(bytes, encoding), encoding);
    }
    return replace_all(text, "\r\n", "\n");
  }

  void read_text(std::string_view text) {
    const FrontMatter found = split_front_matter(text);
    if (!found.opened)
      return error(
          1, "it has no front matter. Start it with a line ---, then name: and description:, then ---.");
    if (!found.closed) return error(1, "its front matter has no end. Add a line --- after it.");
    if (found.yaml.size() > kMostFrontMatterBytes)
      return error(found.yaml_line,
                   concat("its front matter has ", workspace::readable_size(found.yaml.size()), "; at most ",
                          workspace::readable_size(kMostFrontMatterBytes), " are read."));
    const YamlDocument document = parse_yaml(found.yaml, found.yaml_line);
    for (const YamlNote& note : document.notes)
      note.dropped ? error(note.line, note.text + ".") : warn(note.line, note.text + ".");
    read_map(document.map, found.yaml_line);
    if (!parsed_.skill) return;
    parsed_.skill->front_matter = to_json(document.map);
    parsed_.body = trim(found.body);
    if (parsed_.body.empty()) warn(found.body_line, "there are no instructions after the front matter.");
  }

  void read_map(const YamlNode& map, int line) {
    Skill skill;
    warn_about_unknown_keys(map);
    skill.description = trim(text_of(map, "description"));
    if (skill.description.empty()) {
      const YamlNode* written = map.find("description");
      return error(written != nullptr ? written->line : line,
                   "it has no description, which tells a model when to use it, and is left out.");
    }
    if (const std::size_t length = count_characters(skill.description); length > kLongestDescription)
      warn(map.find("description")->line,
           concat("the description has ", with_thousands(length), " characters; at most ",
                  with_thousands(kLongestDescription), " are shown to models."));
    if (!read_name(map, line, skill)) return;
    skill.license = text_of(map, "license");
    skill.compatibility = text_of(map, "compatibility");
    if (count_characters(skill.compatibility) > kLongestCompatibility)
      warn(map.find("compatibility")->line,
           concat("compatibility should have at most ", kLongestCompatibility, " characters."));
    read_metadata(map, skill);
    read_tools(map, skill);
    skill.argument_hint = trim(text_of(map, "argument-hint"));
    // An unclear value hides the skill, because its author probably meant to restrict it.
    skill.disable_model_invocation = flag_of(map, "disable-model-invocation", false, true);
    skill.user_invocable = flag_of(map, "user-invocable", true, true);
    parsed_.skill = std::move(skill);
  }

  // Other programs define their own keys, so warn only about probable misspellings.
  void warn_about_unknown_keys(const YamlNode& map) {
    for (const YamlNode& entry : map.items) {
      if (std::ranges::find(kOurKeys, entry.key) != kOurKeys.end() || entry.key.size() > 40) continue;
      for (const std::string_view ours : kOurKeys) {
        if (edit_distance(entry.key, ours) > 2 || entry.key.size() < 4) continue;
        warn(entry.line, concat(entry.key, " is not known; did you mean ", ours, "?"));
        break;
      }
    }
  }

  bool read_name(const YamlNode& map, int line, Skill& skill) {
    const YamlNode* written = map.find("name");
    const std::string name(trim(text_of(map, "name")));
    if (written != nullptr) line = written->line;
    if (name.empty()) {
      warn(line, concat("it has no name; the folder's name is used: ", shortened(folder_, 80), "."));
    } else if (!is_good_name(name)) {
      warn(line, concat("the name \"", shortened(name, 80),
                        "\" should be 1 to 64 lower-case letters, digits and -, with no - at its ends and no "
                        "two in a row."));
    } else if (name != folder_) {
      warn(line, concat("the name is ", name, ", but its folder is ", shortened(folder_, 80),
                        "; they should be equal."));
    }
    skill.name = is_usable_name(name) ? name : folder_;
    if (is_usable_name(skill.name)) return true;
    error(line, "neither its name nor its folder's name is valid; the skill is left out.");
    return false;
  }

  void read_metadata(const YamlNode& map, Skill& skill) {
    const YamlNode* metadata = map.find("metadata");
    if (metadata == nullptr || (metadata->is_scalar() && metadata->text.empty())) return;
    if (metadata->kind != YamlNode::Kind::kMap) return warn(metadata->line, "metadata should be a map.");
    for (const YamlNode& entry : metadata->items)
      skill.metadata.emplace_back(entry.key, entry.is_scalar() ? entry.text : helve::to_text(to_json(entry)));
  }

  void read_tools(const YamlNode& map, Skill& skill) {
    const YamlNode* tools = map.find("allowed-tools");
    const YamlNode* other = map.find("allowedTools");
    if (tools != nullptr && other != nullptr)
      warn(other->line, "allowedTools is ignored because allowed-tools is present.");
    if (tools == nullptr) tools = other;
    if (tools == nullptr) return;
    if (tools->kind == YamlNode::Kind::kMap) return warn(tools->line, "allowed-tools should be a list.");
    for (const std::string& element : elements_of(*tools))
      for (std::string& tool : split_tool_list(element)) skill.allowed_tools.push_back(std::move(tool));
    for (std::string& warning : normalize_skill_allowed_tools(skill.allowed_tools, more_).warnings)
      warn(tools->line, std::move(warning));
  }

  // In `[Bash(cp a, b), Read]` YAML splits at the comma in the parentheses; this joins the pieces again.
  static std::vector<std::string> elements_of(const YamlNode& tools) {
    if (tools.is_scalar()) return {tools.text};
    std::vector<std::string> elements;
    std::ptrdiff_t open = 0;
    for (const YamlNode& item : tools.items) {
      if (!item.is_scalar()) continue;
      if (open > 0)
        elements.back() += concat(", ", item.text);
      else
        elements.push_back(item.text);
      open += std::ranges::count(item.text, '(') - std::ranges::count(item.text, ')');
      open = std::max<std::ptrdiff_t>(open, 0);
    }
    return elements;
  }

  std::string text_of(const YamlNode& map, std::string_view key) {
    const YamlNode* node = map.find(key);
    if (node == nullptr) return {};
    if (node->is_scalar()) return node->text;
    // Where text is expected, `[file]` is text.
    if (!node->text.empty()) return node->text;
    warn(node->line, concat(key, " should be text."));
    return {};
  }

  bool flag_of(const YamlNode& map, std::string_view key, bool when_missing, bool when_unclear) {
    const YamlNode* node = map.find(key);
    if (node == nullptr) return when_missing;
    const std::string text = to_lower(trim(node->text));
    if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
    if (text == "false" || text == "no" || text == "off" || text == "0") return false;
    warn(node->line,
         concat(key, " should be true or false; ", when_unclear ? "true" : "false", " is assumed."));
    return when_unclear;
  }

  const std::string& file_;
  const std::string& folder_;
  const MoreTools& more_;
  ParsedSkill parsed_;
};

}  // namespace

std::string_view to_string(SkillScope scope) { return scope == SkillScope::kProject ? "project" : "user"; }

std::string to_text(const SkillProblem& problem) {
  const std::string line = problem.line > 0 ? concat(":", problem.line) : std::string();
  return concat(
      problem.file, line,
      problem.severity == SkillProblem::Severity::kError ? ": error: " : ": warning: ", problem.text);
}

ParsedSkill parse_skill(std::string_view bytes, const std::string& file, const std::string& folder,
                        const MoreTools& more) {
  ParsedSkill parsed = SkillReader(file, folder, more).read(bytes);
  if (parsed.skill) parsed.skill->sha256 = sha256_hex(bytes);
  return parsed;
}

}  // namespace helve::skills
