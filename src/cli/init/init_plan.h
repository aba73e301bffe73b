// Plans the changes of `helve init` before anything is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/init/foreign_file.h"
#include "cli/init/init_records.h"
#include "cli/init/mcp_clients.h"

namespace helve::cli {

struct InitStep {
  enum class Kind { kAdd, kRemove, kNothing, kRefused };
  Kind kind = Kind::kNothing;
  std::string name;   // "claude", "settings"
  std::string title;  // "Claude Code", "the workspace"
  std::string shown_file;
  ForeignFile file = {};
  Splice splice = {};                         // of kAdd
  std::string after = {};                     // the new text
  bool removes_file = false;                  // instead
  std::vector<std::string> directories = {};  // to remove with it
  unsigned new_file_mode = 0600;
  std::string note = {};  // why nothing is to be done
  std::optional<Error> problem = {};

  [[nodiscard]] bool changes() const { return kind == Kind::kAdd || kind == Kind::kRemove; }
  // A unified diff with likely secrets in the context masked.
  [[nodiscard]] std::string diff() const;
  // Makes the change and updates the records.
  [[nodiscard]] Expected<void> apply(InitRecords& records) const;
};

[[nodiscard]] InitStep plan_client(const McpClient& client, const std::string& file, const Places& places);
[[nodiscard]] InitStep plan_client_removal(const McpClient& client, const std::string& file,
                                           const InitRecords& records);

// Creates the workspace's settings file; an existing one stays unchanged.
[[nodiscard]] InitStep plan_settings(const std::string& file, std::string text);
// Removes it only if it is unchanged.
[[nodiscard]] InitStep plan_settings_removal(const std::string& file, const InitRecords& records);

}  // namespace helve::cli
