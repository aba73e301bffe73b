#include "settings/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/file_io.h"
#include "base/file_trust.h"
#include "base/strings.h"
#include "helve/settings.h"
#include "settings/map_entry.h"
#include "settings/text_value.h"
#include "settings/toml.h"

namespace helve::settings {
namespace {

struct Leaf {
  std::string key;
  const Param* param;
};

void collect_leaves(const std::vector<Param>& params, const std::string& prefix, std::vector<Leaf>& leaves) {
  for (const Param& param : params) {
    if (param.type.kind == ParamType::Kind::kObject)
      collect_leaves(param.type.members, concat(prefix, param.name, "."), leaves);
    else
      leaves.push_back({concat(prefix, param.name), &param});
  }
}

const Json* look_up(const Json& values, std::string_view key) {
  const Json* at = &values;
  for (const std::string_view part : split(key, '.')) {
    at = at->find(part);
    if (at == nullptr) return nullptr;
  }
  return at;
}

void assign(Json& values, std::string_view key, Json value) {
  Json* at = &values;
  for (const std::string_view part : split(key, '.')) at = &(*at)[part];
  *at = std::move(value);
}

// Lists that every source adds to.
bool adds_up(std::string_view key) { return key.starts_with("permissions.") || key.starts_with("hooks."); }

// Collects values from one source after the other and remembers where each came from.
class Layers {
 public:
  Layers() : type_(params_of<Settings>()) { collect_leaves(type_.members, "", leaves_); }

  Expected<void> add_file(const std::string& path, bool required) {
    const auto text = read_file(path);
    if (!text && text.error().code == ErrorCode::kNotFound && !required) return {};
    if (!text) return fail(text.error());
    // Its rules and hooks decide what runs without a question.
    if (auto safe = check_writers(path); !safe) return safe;
    return add_toml(*text, path);
  }

  Expected<void> add_toml(std::string_view text, const std::string& path) {
    auto values = parse_toml(text, path);
    if (!values) return fail(values.error());
    if (auto complaints = validate(type_, *values, "setting"); !complaints.empty())
      return fail(invalid_settings(path, with_right_places(std::move(complaints))));
    for (const Leaf& leaf : leaves_)
      if (const Json* value = look_up(*values, leaf.key)) set(leaf.key, *value, path);
    return {};
  }

  Expected<void> add_text(std::string_view key, std::string_view text, const std::string& origin) {
    const auto leaf = std::ranges::find(leaves_, key, &Leaf::key);
    if (leaf == leaves_.end())
      if (const Leaf* map = map_of(key); map != nullptr) return add_entry(*map, key, text, origin);
    if (leaf == leaves_.end()) {
      std::string problem = concat("There is no setting ", key);
      if (const std::string near = nearest_key(key); !near.empty())
        problem += concat("; did you mean ", near, "?");
      return fail(ErrorCode::kInvalidArgument, concat(problem, " (", origin, ")"),
                  "helve man settings describes all settings, helve config paths names the files.");
    }
    auto value = checked_value(leaf->param->type, key, text, origin);
    if (!value) return fail(std::move(value).error());
    set(leaf->key, *std::move(value), origin);
    return {};
  }

  // lsp.servers.pyright.enabled: one entry of a map, which keeps its others.
  Expected<void> add_entry(const Leaf& map, std::string_view key, std::string_view text,
                           const std::string& origin) {
    const auto entry = find_map_entry(map.param->type, key.substr(map.key.size() + 1));
    if (!entry)
      return fail(ErrorCode::kInvalidArgument,
                  concat("There is no setting ", key, ": ", entry.error().message, " (", origin, ")"),
                  "helve man settings describes all settings.");
    auto value = checked_value(*entry->type, key, text, origin);
    if (!value) return fail(std::move(value).error());
    const Json* known = look_up(values_, map.key);
    Json whole = with_map_entry(known != nullptr ? *known : Json(), entry->path, *std::move(value));
    if (const auto complaints = validate(map.param->type, whole, "setting"); !complaints.empty())
      return fail(invalid_settings(origin, prefixed(map.key, complaints)));
    assign(values_, map.key, std::move(whole));
    std::string& origins = origins_[map.key];
    if (!origins.ends_with(origin)) origins += concat(origins.empty() ? "" : ", ", origin);
    return {};
  }

  // An unknown variable may belong to a script around Helve. One that is nearly a setting's name is an error,
  // because ignoring a misspelt restriction would be dangerous.
  Expected<void> add_environment(const std::map<std::string, std::string>& variables,
                                 std::vector<std::string>& warnings) {
    for (const auto& [name, text] : variables) {
      const auto leaf =
          std::ranges::find_if(leaves_, [&](const Leaf& each) { return environment_name(each.key) == name; });
      if (leaf == leaves_.end()) {
        const std::string near =
            nearest_key(to_lower(std::string_view(name).substr(environment_name("").size())));
        const std::string section = concat(name, "_");
        if (std::ranges::any_of(
                leaves_, [&](const Leaf& each) { return environment_name(each.key).starts_with(section); }))
          return fail(ErrorCode::kInvalidArgument, concat(name, " in the environment names a section."),
                      concat("Its settings begin with ", section, "; helve man settings describes them."));
        if (!near.empty())
          return fail(ErrorCode::kInvalidArgument,
                      concat(name, " in the environment names no setting; did you mean ",
                             environment_name(near), "?"),
                      "Unset it, or give it the right name. helve man settings describes all settings.");
        warnings.push_back(concat(name, " in the environment names no setting and is ignored"));
        continue;
      }
      if (auto added = add_text(leaf->key, text, concat("environment ", name)); !added) return added;
    }
    return {};
  }

  // The section is wrong more often than the name: permissions.mode means mode, limit means results.limit.
  std::string nearest_key(std::string_view key) const {
    const auto name_in_section = [](std::string_view of) { return of.substr(of.rfind('.') + 1); };
    const auto plain = [](std::string_view of) { return replace_all(of, ".", "_"); };
    std::vector<std::string> keys;
    std::vector<std::string> same_name;
    for (const Leaf& leaf : leaves_) {
      keys.push_back(plain(leaf.key));
      if (name_in_section(leaf.key) == name_in_section(key)) same_name.push_back(leaf.key);
    }
    if (same_name.size() == 1) return same_name.front();
    if (!same_name.empty() && name_in_section(key) == key) return {};  // ambiguous
    const auto near = nearest(plain(key), keys);
    if (near.empty()) return {};
    return std::ranges::find(leaves_, near.front(), [&](const Leaf& leaf) { return plain(leaf.key); })->key;
  }

  Config finish() && {
    Config config;
    const auto settings = std::make_shared<Settings>(fill_params<Settings>(values_));
    settings->permissions.origins = std::move(rule_origins_);
    config.settings = settings;
    const Json shown = show_params(*settings);
    for (const Leaf& leaf : leaves_) {
      const auto origin = origins_.find(leaf.key);
      const Json* value = look_up(shown, leaf.key);
      config.entries.push_back({leaf.key, value != nullptr ? *value : Json(),
                                origin != origins_.end() ? origin->second : "default",
                                leaf.param->description});
    }
    return config;
  }

 private:
  // The map whose entry the key names, or null.
  const Leaf* map_of(std::string_view key) const {
    const auto found = std::ranges::find_if(leaves_, [&](const Leaf& leaf) {
      return leaf.param->type.kind == ParamType::Kind::kMap && key.size() > leaf.key.size() + 1 &&
             key.starts_with(leaf.key) && key[leaf.key.size()] == '.';
    });
    return found == leaves_.end() ? nullptr : &*found;
  }

  static std::vector<Complaint> prefixed(std::string_view key, std::vector<Complaint> complaints) {
    for (Complaint& complaint : complaints)
      complaint.path =
          concat(key, complaint.path.empty() || complaint.path.starts_with('[') ? "" : ".", complaint.path);
    return complaints;
  }

  static Expected<Json> checked_value(const ParamType& type, std::string_view key, std::string_view text,
                                      const std::string& origin) {
    auto value = value_from_text(type, text);
    std::vector<Complaint> complaints;
    if (value)
      complaints = prefixed(key, validate(type, *value, "setting"));
    else
      complaints.push_back({std::string(key), value.error().message});
    if (!complaints.empty()) return fail(invalid_settings(origin, complaints));
    return value;
  }

  // The first source that names a rule is its origin; repeating it changes nothing.
  void note_rules(std::string_view key, const Json& list, const std::string& origin) {
    constexpr std::string_view kLists = "permissions.";
    if (!key.starts_with(kLists) || !list.is_array()) return;
    std::size_t number = 0;
    for (const Json& rule : list.as_array())
      if (++number; rule.is_string())
        rule_origins_.try_emplace(concat(key.substr(kLists.size()), " ", rule.as_string()),
                                  PermissionSettings::Origin{origin, number});
  }

  void set(const std::string& key, Json value, const std::string& origin) {
    note_rules(key, value, origin);
    // Rules and hooks of all sources apply: a project must not lift the user's restrictions.
    const Json* known = adds_up(key) ? look_up(values_, key) : nullptr;
    if (known != nullptr && value.is_array()) {
      JsonArray all = known->as_array();
      for (const Json& element : value.as_array())
        if (std::ranges::find(all, element) == all.end()) all.push_back(element);
      assign(values_, key, std::move(all));
      origins_[key] += concat(", ", origin);
      return;
    }
    // Servers of all sources apply as well; a later source replaces a server of the same name.
    Json* servers = key == "mcp_servers" ? values_.as_object().find(key) : nullptr;
    if (servers != nullptr && value.is_object()) {
      for (auto& [name, server] : value.as_object()) (*servers)[name] = std::move(server);
      origins_[key] += concat(", ", origin);
      return;
    }
    assign(values_, key, std::move(value));
    origins_[key] = origin;
  }

  // In a file, a line belongs to the nearest [section] above it.
  std::vector<Complaint> with_right_places(std::vector<Complaint> complaints) const {
    for (Complaint& complaint : complaints) {
      constexpr std::string_view kUnknown = "is not a known setting";
      if (!complaint.problem.starts_with(kUnknown)) continue;
      const std::string name = complaint.path.substr(complaint.path.rfind('.') + 1);
      const bool at_the_top = std::ranges::find(leaves_, name, &Leaf::key) != leaves_.end();
      std::vector<std::string> sections;
      for (const Leaf& leaf : leaves_)
        if (leaf.key.ends_with(concat(".", name)))
          sections.push_back(concat("[", leaf.key.substr(0, leaf.key.rfind('.')), "]"));
      if (at_the_top)
        complaint.problem = concat(kUnknown, "; ", name, " stands at the top, before the first [section]");
      else if (!sections.empty())
        complaint.problem = concat(kUnknown, "; ", name, " stands below ", enumerate(sections, " or "));
    }
    return complaints;
  }

  static Error invalid_settings(std::string_view origin, const std::vector<Complaint>& complaints) {
    Error error = invalid_arguments(origin, complaints);
    error.message = replace_all(error.message, " with the arguments", " with the settings");
    error.hint = "helve man settings describes all settings, helve config paths names the files.";
    return error;
  }

  ParamType type_;
  std::vector<Leaf> leaves_;
  Json values_ = JsonObject();
  std::map<std::string, std::string> origins_;
  std::map<std::string, PermissionSettings::Origin> rule_origins_;
};

// True for a file of comments only, as `helve init` writes it: trust makes no difference for it.
bool says_nothing(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{64} << 10;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto text = read_all(fd.get(), kLargest);
  return text && std::ranges::all_of(split(*text, '\n'), [](std::string_view line) {
           return trim(line).empty() || trim(line).starts_with('#');
         });
}

}  // namespace

std::string nearest_setting(std::string_view key) { return Layers().nearest_key(key); }

std::string environment_name(std::string_view key) {
  return concat("HELVE_", to_upper(replace_all(key, ".", "_")));
}

std::map<std::string, std::string> helve_environment() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::size_t equals = variable.find('=');
    if (variable.starts_with("HELVE_") && equals != std::string_view::npos)
      found.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return found;
}

Expected<Config> load_config(const ConfigSources& sources) {
  Layers layers;
  std::vector<std::string> warnings;
  for (const auto& [key, text] : sources.command_defaults)
    if (auto added = layers.add_text(key, text, "default of this command"); !added)
      return fail(added.error());
  if (!sources.user_file.empty())
    if (auto added = layers.add_file(sources.user_file, sources.user_file_required); !added)
      return fail(added.error());
  for (const std::string* rules : {&sources.rules_file, &sources.workspace_rules_file})
    if (!rules->empty())
      if (auto added = layers.add_file(*rules, false); !added) return fail(added.error());
  if (!sources.project_file.empty() && ::access(sources.project_file.c_str(), F_OK) == 0) {
    // The text that was checked, not the file, which may have changed since.
    const GrantedFile* reviewed =
        sources.project.is_trusted() ? sources.project.grants->find(".helve/config.toml") : nullptr;
    if (reviewed != nullptr && reviewed->text) {
      if (auto added = layers.add_toml(*reviewed->text, sources.project_file); !added)
        return fail(added.error());
    } else if (!says_nothing(sources.project_file)) {
      warnings.push_back(concat(sources.project_file, " is ignored because ", sources.project.reason));
    }
  }
  if (auto added = layers.add_environment(sources.environment, warnings); !added) return fail(added.error());
  for (const auto& [key, text] : sources.assignments)
    if (auto added = layers.add_text(key, text, "--set"); !added) return fail(added.error());
  Config config = std::move(layers).finish();
  config.warnings = std::move(warnings);
  config.project_trusted = sources.project.is_trusted();
  config.reviewed = sources.project.grants;
  return config;
}

}  // namespace helve::settings
