#include "workspace/git_config.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::workspace {
namespace {

bool is_name_character(char c) { return is_letter_or_digit(c) || c == '-'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  GitConfig parse() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\n' || is_blank(c)) {
        rest_.remove_prefix(1);
      } else if (c == '#' || c == ';') {
        skip_line();
      } else if (c == '[') {
        if (!read_header()) give_up_line();
      } else if (!read_setting()) {
        give_up_line();
      }
    }
    return std::move(config_);
  }

 private:
  void skip_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }
  void give_up_line() {
    config_.understood = false;
    skip_line();
  }
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  std::string take_name(std::string_view more = {}) {
    std::string name;
    while (!rest_.empty() &&
           (is_name_character(rest_.front()) || more.find(rest_.front()) != std::string_view::npos)) {
      name += rest_.front();
      rest_.remove_prefix(1);
    }
    return name;
  }

  // [section], [section.sub] or [section "sub"]
  bool read_header() {
    section_.reset();
    rest_.remove_prefix(1);
    const std::string written = take_name(".");
    const std::size_t dot = written.find('.');
    GitSetting header{.section = to_lower(written.substr(0, dot))};
    if (dot != std::string::npos) header.subsection = to_lower(written.substr(dot + 1));
    if (header.section.empty()) return false;
    skip_blanks();
    if (rest_.starts_with('"')) {
      rest_.remove_prefix(1);
      while (!rest_.empty() && rest_.front() != '"') {
        if (rest_.front() == '\\') rest_.remove_prefix(1);
        if (rest_.empty() || rest_.front() == '\n') return false;
        header.subsection += rest_.front();
        rest_.remove_prefix(1);
      }
      if (rest_.empty()) return false;
      rest_.remove_prefix(1);
    }
    if (!rest_.starts_with(']')) return false;
    rest_.remove_prefix(1);
    section_ = std::move(header);
    return true;
  }

  bool read_setting() {
    const std::string key = take_name();
    if (key.empty() || !section_) return false;
    GitSetting setting = *section_;
    setting.key = to_lower(key);
    skip_blanks();
    if (rest_.starts_with('=')) {
      rest_.remove_prefix(1);
      auto value = read_value();
      if (!value) return false;
      setting.value = *std::move(value);
    } else {
      setting.has_value = false;
      if (!rest_.empty() && rest_.front() != '\n' && rest_.front() != '#' && rest_.front() != ';')
        return false;
      skip_line();
    }
    config_.settings.push_back(std::move(setting));
    return true;
  }

  // Reads to the end of the line. A backslash at the end continues it.
  std::optional<std::string> read_value() {
    skip_blanks();
    std::string value;
    std::size_t kept = 0;  // length without trailing unquoted blanks
    bool quoted = false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\n') break;
      if (c == '"') {
        quoted = !quoted;
        kept = value.size();
      } else if (c == '\\') {
        if (rest_.starts_with('\r')) rest_.remove_prefix(1);
        if (rest_.empty()) return {};
        const char escaped = rest_.front();
        rest_.remove_prefix(1);
        constexpr std::string_view kEscapes = "nt\"\\b";
        constexpr std::string_view kMeanings = "\n\t\"\\\b";
        const std::size_t which = kEscapes.find(escaped);
        if (escaped == '\n') continue;
        if (which == std::string_view::npos) return {};
        value += kMeanings[which];
        kept = value.size();
      } else if (!quoted && (c == '#' || c == ';')) {
        skip_line();
      } else {
        value += c;
        if (quoted || !is_blank(c)) kept = value.size();
      }
    }
    if (quoted) return {};
    value.resize(kept);
    return value;
  }

  std::string_view rest_;
  std::optional<GitSetting> section_;  // from the last header
  GitConfig config_;
};

std::string quoted(std::string_view text, bool is_subsection) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (!is_subsection && c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

struct Harmless {
  std::string_view section;
  std::string_view keys;  // separated by blanks; "*": all
};

constexpr Harmless kHarmless[] = {
    {"core",
     "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf "
     "safecrlf eol quotepath longpaths abbrev sparsecheckout sparsecheckoutcone untrackedcache"},
    {"user", "name email"},
    {"author", "*"},
    {"committer", "*"},
    {"remote", "url pushurl fetch push prune mirror tagopt promisor partialclonefilter"},
    {"branch", "remote merge rebase pushremote description autosetuprebase autosetupmerge"},
    {"submodule", "url active branch path"},
    {"init", "defaultbranch"},
    {"pull", "rebase ff"},
    {"push", "default autosetupremote"},
    {"fetch", "prune"},
    {"merge", "conflictstyle ff"},
    {"rebase", "autostash autosquash"},
    {"rerere", "enabled"},
    {"commit", "gpgsign"},
    {"tag", "gpgsign"},
    {"advice", "*"},
    {"color", "*"},
    {"extensions", "*"},
    {"gc", "auto"},
    {"index", "version"},
    {"status", "*"},
};

}  // namespace

std::string GitSetting::name() const {
  return subsection.empty() ? concat(section, ".", key) : concat(section, ".", subsection, ".", key);
}

bool is_true(const GitSetting& setting) {
  if (!setting.has_value) return true;
  const std::string value = to_lower(setting.value);
  if (value == "true" || value == "yes" || value == "on") return true;
  return !value.empty() && is_digit(value.front()) && value.find_first_not_of('0') != std::string::npos;
}

GitConfig parse_git_config(std::string_view text) { return Parser(text).parse(); }

std::string write_git_config(const std::vector<GitSetting>& settings) {
  std::string text;
  const GitSetting* last = nullptr;
  for (const GitSetting& setting : settings) {
    if (last == nullptr || last->section != setting.section || last->subsection != setting.subsection) {
      text += concat("[", setting.section);
      if (!setting.subsection.empty()) text += concat(" ", quoted(setting.subsection, true));
      text += "]\n";
    }
    last = &setting;
    text += concat("\t", setting.key);
    const bool plain = setting.value.find_first_of("\"\\\n#;") == std::string::npos &&
                       trim(setting.value).size() == setting.value.size();
    if (setting.has_value) text += concat(" = ", plain ? setting.value : quoted(setting.value, false));
    text += "\n";
  }
  return text;
}

bool is_harmless(const GitSetting& setting) {
  // URLs such as "ext::sh -c …" run programs, and so do values such as "!x".
  if (setting.key.ends_with("url") && setting.value.find("::") != std::string::npos) return false;
  if (setting.value.starts_with('!')) return false;
  return std::ranges::any_of(kHarmless, [&](const Harmless& harmless) {
    if (harmless.section != setting.section) return false;
    const auto keys = split(harmless.keys, ' ');
    return harmless.keys == "*" || std::ranges::find(keys, setting.key) != keys.end();
  });
}

std::string harmless_settings(std::string_view configuration, std::vector<std::string>& dropped) {
  GitConfig config = parse_git_config(configuration);
  std::vector<GitSetting> kept;
  for (GitSetting& setting : config.settings) {
    if (is_harmless(setting))
      kept.push_back(std::move(setting));
    else
      dropped.push_back(setting.name());
  }
  if (!config.understood) dropped.emplace_back("(unparsable lines)");
  return write_git_config(kept);
}

}  // namespace helve::workspace
