// The files of the workspace that Helve runs without a sandbox, because trusted configuration names them:
// hooks, MCP servers and language servers.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "helve/error.h"
#include "settings/groups.h"
#include "settings/project_grants.h"

namespace helve::settings {

// Absolute paths, as named: symlinks are not resolved. Also files that do not exist yet, if a command would
// run them. They must be read-only for everything that a model can start.
[[nodiscard]] std::vector<std::string> trusted_program_paths(const std::string& workspace,
                                                             const Groups& settings);
// The same for the MCP servers that the reviewed JSON files of the project list.
[[nodiscard]] std::vector<std::string> trusted_program_paths(const std::string& workspace,
                                                             const ProjectGrants& reviewed);

// The words of a server from which files_of_command() finds its files.
[[nodiscard]] std::vector<std::string> words_of(const McpServerSettings& server);

// SHA-256 by path, relative to the workspace.
using ReviewedFiles = std::map<std::string, std::string>;
[[nodiscard]] ReviewedFiles reviewed_files(const ProjectGrants& grants);

// The files of one command with the content that the user reviewed. Compared before each run, because what
// was checked at the start may be another file by then. May be used from all threads.
class ReviewedPrograms {
 public:
  // `values`: see files_of_command(). Files that were not reviewed, as those that only the user's own
  // configuration names, are not compared.
  ReviewedPrograms(const std::string& workspace, const std::vector<std::string>& values,
                   const ReviewedFiles& reviewed);

  // PERMISSION_DENIED if one is another file now.
  [[nodiscard]] Expected<void> check() const;
  bool operator==(const ReviewedPrograms& other) const { return files_ == other.files_; }

 private:
  struct File {
    std::string named;  // absolute, with symlinks
    std::string path;   // where it led at the review, relative to the workspace
    std::string sha256;

    bool operator==(const File&) const = default;
  };

  std::string workspace_;
  std::vector<File> files_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> stamps_;  // of files that were as reviewed
};

}  // namespace helve::settings
