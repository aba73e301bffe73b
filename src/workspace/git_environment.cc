#include "workspace/git_environment.h"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/environment.h"
#include "base/strings.h"

namespace helve::workspace {
namespace {

constexpr int kMostSettings = 1000;

// Each stands for a setting.
constexpr std::pair<const char*, std::string_view> kVariables[] = {
    {"GIT_EDITOR", "core.editor"},
    {"GIT_SEQUENCE_EDITOR", "sequence.editor"},
    {"GIT_PAGER", "core.pager"},
    {"GIT_ASKPASS", "core.askpass"},
    {"GIT_SSH", "core.sshcommand"},
    {"GIT_SSH_COMMAND", "core.sshcommand"},
    {"GIT_PROXY_COMMAND", "core.gitproxy"},
    {"GIT_EXTERNAL_DIFF", "diff.external"},
    {"GIT_TEMPLATE_DIR", "init.templatedir"},
    {"GIT_WORK_TREE", "core.worktree"},
};

// section.key or section.subsection.key
void add(std::vector<GitSetting>& settings, std::string_view name, std::string_view value) {
  const std::size_t first = name.find('.');
  const std::size_t last = name.rfind('.');
  if (first == std::string_view::npos || value.empty()) return;
  GitSetting setting{.section = to_lower(name.substr(0, first)),
                     .key = to_lower(name.substr(last + 1)),
                     .value = std::string(value)};
  if (last > first) setting.subsection = name.substr(first + 1, last - first - 1);
  settings.push_back(std::move(setting));
}

// 'name=value' and 'name'='value', separated by blanks.
void add_parameters(std::vector<GitSetting>& settings, std::string_view text) {
  std::string word;
  bool is_quoted = false;
  const auto end_word = [&] {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) add(settings, word.substr(0, equals), word.substr(equals + 1));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'')
      is_quoted = !is_quoted;
    else if (!is_quoted && text[i] == '\\' && i + 1 < text.size())
      word += text[++i];
    else if (!is_quoted && (text[i] == ' ' || text[i] == '\t'))
      end_word();
    else
      word += text[i];
  }
  end_word();
}

}  // namespace

std::vector<GitSetting> git_settings_of_environment() {
  std::vector<GitSetting> settings;
  const std::string counted = environment_variable("GIT_CONFIG_COUNT");
  int count = 0;
  std::from_chars(counted.data(), counted.data() + counted.size(), count);
  for (int i = 0; i < count && i < kMostSettings; ++i)
    add(settings, environment_variable(concat("GIT_CONFIG_KEY_", i).c_str()),
        environment_variable(concat("GIT_CONFIG_VALUE_", i).c_str()));
  add_parameters(settings, environment_variable("GIT_CONFIG_PARAMETERS"));
  for (const auto& [variable, name] : kVariables) add(settings, name, environment_variable(variable));
  return settings;
}

}  // namespace helve::workspace
