// The projects whose own configuration the user has reviewed, with the content that was reviewed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "settings/project_grants.h"

namespace helve::settings {

// Kept in the state directory, where no tool can write. Not for use from several threads.
class TrustedFolders {
 public:
  explicit TrustedFolders(const std::string& state_directory);

  // The file that holds them.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Expected<std::vector<std::string>> list() const;
  // The content that the user reviewed; nullopt if the folder was never trusted. `folder` is a real path.
  [[nodiscard]] Expected<std::optional<ProjectGrants>> find(const std::string& folder) const;
  // Replaces what was reviewed before.
  [[nodiscard]] Expected<void> add(const std::string& folder, const ProjectGrants& reviewed);
  // False when it was not there.
  [[nodiscard]] Expected<bool> remove(const std::string& folder);

 private:
  [[nodiscard]] Expected<JsonObject> load() const;
  [[nodiscard]] Expected<void> save(const JsonObject& folders) const;

  std::string directory_;
  std::string path_;
};

// Whether a project's own configuration counts: only with the very content that the user reviewed.
struct ProjectTrust {
  // The configuration that counts. Null if nothing does.
  std::shared_ptr<const ProjectGrants> grants = {};
  // Completes "… is ignored because " when nothing counts.
  std::string reason = {};
  // Files that differ from the reviewed ones, if the project was trusted before.
  std::vector<std::string> changed = {};

  [[nodiscard]] bool is_trusted() const { return grants != nullptr; }
};
[[nodiscard]] ProjectTrust project_trust(const std::string& state_directory, const std::string& folder);

// The paths of files that were added, removed or changed.
[[nodiscard]] std::vector<std::string> changed_files(const ProjectGrants& before, const ProjectGrants& now);

}  // namespace helve::settings
