#include "app/kept_rules.h"

#include <algorithm>
#include <filesystem>

#include "base/ascii.h"
#include "base/file_io.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "settings/toml.h"

namespace helve::app {

std::string kept_rules_path(const std::string& config_directory, const std::string& workspace) {
  // The hash distinguishes directories of the same name.
  std::string name = std::filesystem::path(workspace).filename().string().substr(0, 40);
  for (char& c : name)
    if (!is_letter_or_digit(c) && c != '_' && c != '-') c = '_';
  return concat(config_directory, "/rules/", name, "-", sha256_hex(workspace).substr(0, 16), ".toml");
}

Expected<void> keep_rules(const std::string& config_directory, const std::string& workspace,
                          const std::vector<std::string>& rules) {
  const std::string path = kept_rules_path(config_directory, workspace);
  const std::string directory = std::filesystem::path(path).parent_path().string();
  if (auto made = make_private_directories(directory); !made) return made;
  const auto lock = lock_directory(directory);
  if (!lock) return fail(lock.error());
  std::vector<std::string> kept;
  const auto text_before = read_file(path);
  if (!text_before && text_before.error().code != ErrorCode::kNotFound) return fail(text_before.error());
  if (text_before) {
    const auto values = settings::parse_toml(*text_before, path);
    if (!values) return fail(values.error());
    const Json* permissions = values->find("permissions");
    const Json* allow = permissions == nullptr ? nullptr : permissions->find("allow");
    if (allow != nullptr && allow->is_array())
      for (const Json& rule : allow->as_array())
        if (rule.is_string()) kept.push_back(rule.as_string());
    // Anything else in the file would be lost.
    const bool is_ours_alone = values->as_object().size() == (permissions == nullptr ? 0U : 1U) &&
                               (permissions == nullptr || !permissions->is_object() ||
                                permissions->as_object().size() == (allow == nullptr ? 0U : 1U));
    if (!is_ours_alone)
      return fail(ErrorCode::kConflict,
                  concat(path, " contains more than permissions.allow, so Helve does not change it."),
                  concat("Move the rest to config.toml, or add ", join(rules, ", "),
                         " to permissions.allow by hand."));
  }
  for (const std::string& rule : rules)
    if (std::ranges::find(kept, rule) == kept.end()) kept.push_back(rule);
  std::string text = concat("# Rules from \"always\" answers in the directory ", to_text(Json(workspace)),
                            ".\n# You may edit them; helve config show lists all settings in effect. Rules "
                            "for every directory are in\n# "
                            "rules.toml beside config.toml.\n");
  text += "[permissions]\nallow = [\n";
  for (const std::string& rule : kept) text += concat("  ", to_text(Json(rule)), ",\n");
  text += "]\n";
  return replace_private_file(path, text);
}

}  // namespace helve::app
