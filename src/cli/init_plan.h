// What `helve init` would change, found out before anything is touched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/foreign_file.h"
#include "cli/init_records.h"
#include "cli/mcp_clients.h"

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
  // As git writes it, without what looks like a secret in the lines around.
  [[nodiscard]] std::string diff() const;
  // Does it, and remembers or forgets it.
  [[nodiscard]] Expected<void> apply(InitRecords& records) const;
};

[[nodiscard]] InitStep plan_client(const McpClient& client, const std::string& file, const Places& places);
[[nodiscard]] InitStep plan_client_removal(const McpClient& client, const std::string& file,
                                           const InitRecords& records);

// The settings file of the workspace; one that is there is left alone.
[[nodiscard]] InitStep plan_settings(const std::string& file, std::string text);
// Only as long as it is as it was written.
[[nodiscard]] InitStep plan_settings_removal(const std::string& file, const InitRecords& records);

}  // namespace helve::cli
