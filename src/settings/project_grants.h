// The files of a project from which Helve takes rights, read once, so that what the user reviewed is what
// counts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::settings {

struct GrantedFile {
  std::string path;    // relative to the project
  std::string sha256;  // of the content, or of the target of a symlink
  std::size_t bytes = 0;
  std::optional<std::string> text = {};  // short text, for the parsers and for a diff

  bool operator==(const GrantedFile&) const = default;
};

// Configuration and plugins (.helve), MCP servers (.mcp.json, .vscode/mcp.json), permission lists
// (.claude/settings*.json), skills (.agents/skills, .claude/skills), and the files of the project that these
// name, such as the program of a hook. Files that such a program loads in turn are not found.
struct ProjectGrants {
  std::vector<GrantedFile> files = {};  // sorted by path

  bool operator==(const ProjectGrants&) const = default;

  // Null if the project has no such file.
  [[nodiscard]] const GrantedFile* find(std::string_view path) const;
  // Whether one of the files has this SHA-256, wherever it is.
  [[nodiscard]] bool has_content(std::string_view sha256) const;
};

// Whether a file of the project lists MCP servers.
[[nodiscard]] bool is_server_list(std::string_view path);
// The words of the commands that such a file or the project's configuration lets run without a sandbox.
[[nodiscard]] std::vector<std::vector<std::string>> commands_in(const GrantedFile& file);

// UNAVAILABLE when there is too much to check or a file cannot be read.
[[nodiscard]] Expected<ProjectGrants> read_project_grants(const std::string& folder);

}  // namespace helve::settings
