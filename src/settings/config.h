// Settings from files, environment and flags, with the origin of every value.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/error.h"
#include "helve/json.h"
#include "settings/trust.h"

namespace HELVE_API helve {
struct Settings;
}

namespace helve::settings {

struct ConfigSources {
  std::vector<std::pair<std::string, std::string>> command_defaults;  // lowest priority
  std::string user_file;  // may be absent unless `user_file_required`
  bool user_file_required = false;
  std::string rules_file;            // the user's rules for every workspace; may be absent
  std::string workspace_rules_file;  // rules from "always" answers in this workspace; may be absent
  std::string project_file;          // may be absent
  ProjectTrust project = {};         // whether it counts, with its text as the user reviewed it
  std::map<std::string, std::string> environment;                // HELVE_… variables
  std::vector<std::pair<std::string, std::string>> assignments;  // --set key=value, in order
};

struct Config {
  struct Entry {
    std::string key;  // results.limit
    Json value;
    std::string origin;  // "default", "default of this command", a file, "environment HELVE_MODE" or "--set"
    std::string description;
  };

  std::shared_ptr<const Settings> settings;  // never null
  std::vector<Entry> entries;                // every key, in the order of the settings
  std::vector<std::string> warnings;         // for the user, such as an untrusted project file
  bool project_trusted = false;
  std::shared_ptr<const ProjectGrants> reviewed = {};  // of a trusted project
};

// Later sources win: user file, rules file, project file, environment, assignments. Unknown keys are errors
// with the nearest name; unknown variables are warnings.
[[nodiscard]] Expected<Config> load_config(const ConfigSources& sources);

// The setting most likely meant; empty without a good guess.
[[nodiscard]] std::string nearest_setting(std::string_view key);

// The HELVE_… variables of this process.
[[nodiscard]] std::map<std::string, std::string> helve_environment();
// results.keep_days → HELVE_RESULTS_KEEP_DAYS
[[nodiscard]] std::string environment_name(std::string_view key);

}  // namespace helve::settings
