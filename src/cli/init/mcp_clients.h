// The MCP clients that helve init supports: their configuration files and formats.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/init/text_splice.h"
#include "helve/error.h"
#include "helve/json.h"
#include "helve/permissions.h"

namespace helve::cli {

// Directories; tests set their own.
struct Places {
  std::string home;
  std::string config_home;  // $XDG_CONFIG_HOME
  std::string workspace;
  std::string helve;  // what to write as the program: "helve" when PATH finds it, else its path
};

// A value.
struct McpClient {
  enum class Format { kJson, kToml };
  std::string name;   // as in `helve init claude`
  std::string title;  // "Claude Code"
  std::string user_file;
  std::string project_file;              // in the workspace, shared with others
  bool prefers_project = false;          // its user file cannot name the workspace
  std::vector<std::string> programs;     // in PATH
  std::vector<std::string> directories;  // that it makes
  Format format = Format::kJson;
  std::vector<std::string> key;  // the object with the servers
  Json entry;                    // what describes Helve
  Json project_entry = {};       // the same in the project's file, where it differs
  bool can_be_asked = true;      // it shows the questions of a server

  [[nodiscard]] bool is_here() const;
  // Which of the two files; the entry in it.
  [[nodiscard]] const std::string& file(bool project) const {
    return project || prefers_project ? project_file : user_file;
  }
  [[nodiscard]] const Json& entry_in(const std::string& path) const {
    return path == project_file && !project_entry.is_null() ? project_entry : entry;
  }
};

[[nodiscard]] std::vector<McpClient> known_clients(const Places& places);

// Makes the client start Helve in this mode.
void start_in_mode(McpClient& client, Mode mode);

// Adds Helve to the client's file; empty if it is already there in any form. CONFLICT if the name is taken.
[[nodiscard]] Expected<std::optional<Splice>> add_helve(const McpClient& client, std::string_view text,
                                                        const std::string& file);

// Removes Helve; empty if it is not there.
[[nodiscard]] Expected<std::optional<Splice>> remove_helve(const McpClient& client, std::string_view text,
                                                           const std::string& file);

// Whether two texts of the client's file are equivalent; an empty and a missing server list are equal.
[[nodiscard]] bool say_the_same(const McpClient& client, std::string_view one, std::string_view other);

}  // namespace helve::cli
