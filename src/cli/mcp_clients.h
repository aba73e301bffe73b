// The programs on a machine that can use Helve over MCP: where they keep their servers, and in which form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/text_splice.h"
#include "helve/error.h"
#include "helve/json.h"

namespace helve::cli {

// Where things are; tests have their own.
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
  bool prefers_project = false;          // its user file would not know the workspace
  std::vector<std::string> programs;     // in PATH
  std::vector<std::string> directories;  // that it makes
  Format format = Format::kJson;
  std::vector<std::string> key;  // the object with the servers
  Json entry;                    // what describes Helve
  Json project_entry = {};       // the same in the project's file, where it differs

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

// The change that adds Helve to the text of the client's file; nothing when it is there already, however
// spelled. CONFLICT when something else has the name.
[[nodiscard]] Expected<std::optional<Splice>> add_helve(const McpClient& client, std::string_view text,
                                                        const std::string& file);

// The change that takes Helve out; nothing when it is not there.
[[nodiscard]] Expected<std::optional<Splice>> remove_helve(const McpClient& client, std::string_view text,
                                                           const std::string& file);

// Whether two texts of the client's file mean the same; that there are no servers may be said in any way.
[[nodiscard]] bool say_the_same(const McpClient& client, std::string_view one, std::string_view other);

}  // namespace helve::cli
