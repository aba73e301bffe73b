#include "skills/activate.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/file_io.h"
#include "base/file_trust.h"
#include "base/strings.h"
#include "skills/skill.h"
#include "skills/skill_folder.h"
#include "workspace/path_check.h"

namespace helve::skills {
namespace {

constexpr std::size_t kMostResources = 100;
constexpr std::string_view kArguments = "$ARGUMENTS";
constexpr std::string_view kFolder = "${CLAUDE_SKILL_DIR}";

// Splits words like a shell; an unclosed quote extends to the end.
std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char here = text[at];
    if (quote != '\0' && here == quote) {
      quote = '\0';
    } else if (here == '\\' && quote != '\'' && at + 1 < text.size()) {
      word += text[++at];
      in_word = true;
    } else if (quote != '\0') {
      word += here;
    } else if (here == '"' || here == '\'') {
      quote = here;
      in_word = true;
    } else if (here == ' ' || here == '\t' || here == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += here;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

// A number of one or two digits at the start of the text that is not part of a longer word.
std::optional<std::size_t> read_index(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits > 2 || (digits < text.size() && is_word_character(text[digits])))
    return std::nullopt;
  std::size_t index = 0;
  for (const char digit : text.substr(0, digits)) index = index * 10 + static_cast<std::size_t>(digit - '0');
  return index;
}

bool counts_from_zero(std::string_view body) {
  for (std::size_t at = body.find("$0"); at != std::string_view::npos; at = body.find("$0", at + 1))
    if (read_index(body.substr(at + 1))) return true;
  return false;
}

// Reads the text once, so that placeholders in the arguments are not replaced.
class Filler {
 public:
  Filler(std::string_view arguments, std::string_view directory)
      : arguments_(arguments), directory_(directory), words_(split_arguments(arguments)) {}

  std::string fill(std::string_view body, bool has_hint) {
    const std::size_t base = counts_from_zero(body) ? 0 : 1;
    std::size_t at = 0;
    while (at < body.size()) {
      const std::size_t dollar = body.find('$', at);
      out_ += body.substr(at, dollar - at);
      if (dollar == std::string_view::npos) break;
      const std::string_view here = body.substr(dollar);
      const std::size_t taken = take(here, has_hint, base);
      if (taken == 0) out_ += '$';
      at = dollar + std::max<std::size_t>(taken, 1);
    }
    if (!used_ && !arguments_.empty()) out_ += concat("\n\nArguments: ", arguments_);
    return std::move(out_);
  }

 private:
  // The number of bytes replaced; 0 when there is no placeholder.
  std::size_t take(std::string_view here, bool has_hint, std::size_t base) {
    if (here.starts_with(kFolder)) {
      out_ += directory_;
      return kFolder.size();
    }
    if (here.starts_with(kArguments)) {
      const std::string_view behind = here.substr(kArguments.size());
      if (!behind.empty() && is_word_character(behind.front())) return 0;
      used_ = true;
      const std::size_t close = behind.starts_with('[') ? behind.find(']') : std::string_view::npos;
      const auto index = close == std::string_view::npos ? std::nullopt : read_index(behind.substr(1));
      if (index && behind.substr(1, close - 1).size() <= 2 && *index < words_.size()) {
        out_ += words_[*index];
        return kArguments.size() + close + 1;
      }
      if (index) return 0;
      out_ += arguments_;
      return kArguments.size();
    }
    const auto index = has_hint ? read_index(here.substr(1)) : std::nullopt;
    if (!index || *index < base || *index - base >= words_.size()) return 0;
    used_ = true;
    out_ += words_[*index - base];
    return 1 + (*index >= 10 ? 2 : 1);
  }

  std::string_view arguments_;
  std::string_view directory_;
  std::vector<std::string> words_;
  std::string out_;
  bool used_ = false;
};

std::string text_for_model(const Skill& skill, const Activation& activation) {
  std::string text =
      concat("<skill_content name=\"", escape_xml(skill.name), "\">\n", activation.instructions,
             "\n\nSkill directory: ", workspace::printable_path(activation.directory),
             "\nRelative paths in this skill are relative to that directory.\n");
  if (!activation.resources.empty()) {
    text += "<skill_resources>\n";
    for (const std::string& path : activation.resources)
      text += concat("<file>", escape_xml(workspace::printable_path(path)), "</file>\n");
    if (!activation.resources_complete) text += "(There are more files; list the directory to see them.)\n";
    text += "</skill_resources>\n";
  }
  return text + "</skill_content>\n";
}

// The user let this text allow tools, not another one that a tool wrote in its place.
NormalizedTools tools_of(const Skill& found, const Skill& now, const workspace::Root& workspace,
                         const MoreTools& more) {
  const bool only_user_writes =
      found.scope == SkillScope::kUser && !is_within(found.directory, workspace.path());
  if (now.allowed_tools.empty()) return {};
  NormalizedTools none;
  if (found.scope == SkillScope::kUser)
    if (const auto safe = check_writers(concat(found.directory, "/", found.file)); !safe) {
      none.warnings.push_back(concat("they do not count: ", safe.error().message, " ", safe.error().hint));
      return none;
    }
  if (only_user_writes || now.sha256 == found.sha256)
    return normalize_skill_allowed_tools(now.allowed_tools, more);
  none.warnings.push_back(concat("they do not count, because ", found.location,
                                 " changed since it was found. Read it, run "
                                 "`helve config trust`, then restart Helve."));
  return none;
}

}  // namespace

std::string fill_in_arguments(std::string_view body, std::string_view arguments, bool has_hint,
                              std::string_view directory) {
  return Filler(trim(arguments), directory).fill(body, has_hint);
}

Expected<Activation> activate_skill(const Skill& skill, const workspace::Root& workspace,
                                    std::string_view arguments, const MoreTools& more) {
  const auto folder = SkillFolder::open(skill, workspace);
  if (!folder) return fail(folder.error());
  const auto bytes = folder->read(skill.file, kMostSkillBytes);
  if (!bytes) return fail(bytes.error());
  const ParsedSkill parsed = parse_skill(*bytes, skill.location, skill.name);
  if (!parsed.skill) {
    const std::string why =
        parsed.problems.empty() ? std::string() : helve::skills::to_text(parsed.problems.back());
    return fail(ErrorCode::kInvalidArgument,
                concat("The skill ", skill.name, " has changed and can no longer be used: ", why),
                "Correct the file; helve skills check shows what is wrong.");
  }
  auto files = folder->list(kMostResources + 1);
  if (!files) return fail(files.error());
  Activation activation{.directory = skill.directory,
                        .resources_complete = files->complete,
                        .tools = tools_of(skill, *parsed.skill, workspace, more)};
  activation.instructions =
      fill_in_arguments(parsed.body, arguments, !parsed.skill->argument_hint.empty(), skill.directory);
  for (SkillFile& file : files->files)
    if (file.path != skill.file) activation.resources.push_back(std::move(file.path));
  activation.text = text_for_model(*parsed.skill, activation);
  return activation;
}

}  // namespace helve::skills
