#include "skills/discover.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/file_io.h"
#include "base/strings.h"
#include "skills/skill.h"
#include "workspace/listing.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"

namespace helve::skills {
namespace {

using Severity = SkillProblem::Severity;

constexpr int kDeepestSkill = 3;
constexpr std::size_t kMostSkills = 512;
constexpr std::size_t kMostFolders = 2000;
constexpr std::size_t kMostEntries = 2000;  // in one directory
constexpr std::string_view kFileName = "SKILL.md";

constexpr auto kProjectPlaces =
    std::to_array<std::string_view>({".helve/skills", ".agents/skills", ".claude/skills"});

std::string_view last_component(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string beneath_of(const std::string& folder, std::string_view name) {
  return folder == "." ? std::string(name) : concat(folder, "/", name);
}

// A directory that may be a skill or contain skills.
struct Candidate {
  const workspace::Root& root;
  std::string path;  // relative to the root
  std::string name;  // of the directory as found; a symlink's target may have another name
};

class Discovery {
 public:
  explicit Discovery(const SkillPlaces& places) : places_(places) {}

  SkillSet run() {
    for (const std::string_view place : kProjectPlaces) look_in_project(place);
    look_in_home(places_.config_directory.empty() ? "" : concat(places_.config_directory, "/skills"),
                 ".config/helve/skills");
    look_in_home(places_.home.empty() ? "" : concat(places_.home, "/.agents/skills"), ".agents/skills");
    look_in_home(places_.home.empty() ? "" : concat(places_.home, "/.claude/skills"), ".claude/skills");
    std::ranges::sort(set_.skills, {}, &Skill::name);
    return std::move(set_);
  }

 private:
  void tell(Severity severity, std::string file, std::string text) {
    set_.problems.push_back({severity, std::move(file), 0, std::move(text)});
  }

  void look_in_project(std::string_view place) {
    const workspace::Root& root = places_.workspace;
    const auto found = root.stat(place);
    if (!found && found.error().code == ErrorCode::kNotFound) return;
    if (!places_.project_trusted) {
      set_.untrusted_places.emplace_back(place);
      return;
    }
    if (!found) return tell(Severity::kError, std::string(place), found.error().message);
    scope_ = SkillScope::kProject;
    place_ = place;
    if (S_ISDIR(found->status.st_mode)) look_inside({root, found->path, std::string(place)}, 0);
  }

  void look_in_home(const std::string& path, std::string_view shown) {
    if (path.empty()) return;
    const auto real = real_path(path);
    if (!real) return;  // most of these directories do not exist
    scope_ = SkillScope::kUser;
    place_ = path == concat(places_.home, "/", shown) ? concat("~/", shown) : path;
    open_elsewhere(*real, path, 0);
  }

  // Continues in a directory outside of all open roots.
  void open_elsewhere(const std::string& real, std::string_view name, int depth) {
    const auto root = workspace::Root::open(real);
    if (root) look_at({*root, ".", std::string(last_component(name))}, depth);
  }

  std::string shown(const Candidate& candidate) const {
    return scope_ == SkillScope::kProject ? candidate.path : real_folder(candidate);
  }
  static std::string real_folder(const Candidate& candidate) {
    return candidate.path == "." ? candidate.root.path() : concat(candidate.root.path(), "/", candidate.path);
  }

  void look_at(const Candidate& candidate, int depth) {
    if (depth > 0 && add_skill(candidate)) return;
    look_inside(candidate, depth);
  }

  void look_inside(const Candidate& candidate, int depth) {
    if (depth >= kDeepestSkill) return;
    if (!visited_.insert(real_folder(candidate)).second) return;
    if (visited_.size() > kMostFolders)
      return tell_once(candidate, "there are too many folders; the rest is left out.");
    const auto listing =
        workspace::list_directory(candidate.root, candidate.path, {.max_entries = kMostEntries});
    if (!listing) return tell(Severity::kError, shown(candidate), listing.error().message);
    if (listing->left_out > 0)
      tell(Severity::kError, shown(candidate), "it has too many entries; the rest is ignored.");
    // Sorted by name, regardless of symlink targets.
    std::vector<const workspace::ListedEntry*> entries;
    for (const workspace::ListedEntry& entry : listing->entries) entries.push_back(&entry);
    std::ranges::sort(entries, {},
                      [](const workspace::ListedEntry* entry) { return std::string_view(entry->name); });
    for (const workspace::ListedEntry* entry : entries) {
      if (entry->name.starts_with('.') || entry->name == "node_modules") continue;
      const Candidate inner{candidate.root, beneath_of(candidate.path, entry->name), entry->name};
      if (entry->type == workspace::ListedEntry::Type::kDirectory) look_at(inner, depth + 1);
      if (entry->type == workspace::ListedEntry::Type::kLink) follow(inner, depth + 1);
      if (depth > 0 && entry->name != kFileName && to_upper(entry->name) == to_upper(kFileName))
        tell(Severity::kError, shown(inner), concat("it is ignored; rename it to ", kFileName, "."));
    }
  }

  void follow(const Candidate& link, int depth) {
    const auto target = link.root.stat(link.path);
    if (target) {
      if (S_ISDIR(target->status.st_mode)) look_at({link.root, target->path, link.name}, depth);
      return;
    }
    if (scope_ == SkillScope::kProject)
      return tell(Severity::kError, link.path, concat("it is left out: ", target.error().message));
    const auto real = real_path(real_folder(link));
    if (!real) return tell(Severity::kWarning, real_folder(link), "it is a dangling symlink.");
    open_elsewhere(*real, link.name, depth);
  }

  void tell_once(const Candidate& candidate, std::string text) {
    if (!std::exchange(told_, true)) tell(Severity::kError, shown(candidate), std::move(text));
  }

  // True when the directory is a skill, valid or not: its subdirectories are not searched.
  bool add_skill(const Candidate& candidate) {
    const std::string file = beneath_of(candidate.path, kFileName);
    const auto status = candidate.root.stat(file);
    if (!status && status.error().code == ErrorCode::kNotFound) return false;
    if (!status && scope_ == SkillScope::kUser) return add_linked_file(candidate);
    if (!known_.insert(real_folder(candidate)).second) return true;  // already found by another path
    if (set_.skills.size() >= kMostSkills) {
      tell_once(candidate, "there are too many skills; the rest is left out.");
      return true;
    }
    const std::string name_shown =
        scope_ == SkillScope::kProject ? file : concat(real_folder(candidate), "/", kFileName);
    const auto opened = candidate.root.open_read(file);
    if (!opened) {
      tell(Severity::kError, name_shown, concat("it is left out: ", opened.error().message));
      return true;
    }
    const auto bytes = workspace::read_part(*opened, 0, kMostSkillBytes + 1);
    if (!bytes) {
      tell(Severity::kError, name_shown, bytes.error().message);
      return true;
    }
    ParsedSkill parsed = parse_skill(*bytes, name_shown, candidate.name, places_.more);
    set_.problems.insert(set_.problems.end(), parsed.problems.begin(), parsed.problems.end());
    if (parsed.skill) keep(*std::move(parsed.skill), candidate, name_shown);
    return true;
  }

  // Dotfile managers symlink each file, so the skill's directory is that of the resolved SKILL.md.
  bool add_linked_file(const Candidate& candidate) {
    const auto real = real_path(concat(real_folder(candidate), "/", kFileName));
    if (!real || last_component(*real) != kFileName) {
      tell(Severity::kError, concat(real_folder(candidate), "/", kFileName),
           "it is left out: it is a symlink to a file that is not a SKILL.md.");
      return true;
    }
    const auto root = workspace::Root::open(real->substr(0, real->size() - kFileName.size() - 1));
    return !root || add_skill({*root, ".", candidate.name});
  }

  void keep(Skill skill, const Candidate& candidate, const std::string& location) {
    skill.scope = scope_;
    skill.place = place_;
    skill.directory = real_folder(candidate);
    skill.file = kFileName;
    skill.location = location;
    if (const Skill* first = set_.find(skill.name))
      return tell(Severity::kWarning, location,
                  concat("it is left out: ", first->location, " has the same name, ", skill.name,
                         ", and comes first."));
    set_.skills.push_back(std::move(skill));
  }

  const SkillPlaces& places_;
  SkillSet set_;
  SkillScope scope_ = SkillScope::kProject;
  std::string place_;
  std::set<std::string> visited_;
  std::set<std::string> known_;
  bool told_ = false;
};

}  // namespace

const Skill* SkillSet::find(std::string_view name) const {
  const auto found = std::ranges::find(skills, name, &Skill::name);
  return found == skills.end() ? nullptr : &*found;
}

std::vector<std::string> skill_directories(const std::string& workspace, const std::string& config_directory,
                                           const std::string& home) {
  std::vector<std::string> directories;
  for (const std::string_view place : kProjectPlaces) directories.push_back(concat(workspace, "/", place));
  if (!config_directory.empty()) directories.push_back(concat(config_directory, "/skills"));
  for (const std::string_view place : {"/.agents/skills", "/.claude/skills"})
    if (!home.empty()) directories.push_back(concat(home, place));
  return directories;
}

SkillSet discover_skills(const SkillPlaces& places) { return Discovery(places).run(); }

}  // namespace helve::skills
