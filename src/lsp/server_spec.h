// The table of language servers: their files, commands and options. Settings can change it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/api.h"
#include "helve/json.h"

namespace HELVE_API helve {
struct LspSettings;
}

namespace helve::lsp {

// Whether a rename reaches the methods that override the renamed one.
enum class Overrides {
  kRenamed,
  kRenamedOnceIndexed,  // only those in files that the server has indexed
  kLeft,
};

struct ServerSpec {
  std::string name;                          // "pyright"
  std::vector<std::string> languages = {};   // ids as in text/language.h
  std::vector<std::string> extensions = {};  // in addition to those of the languages, without the dot
  std::vector<std::string> file_names = {};  // exact names
  std::string command;                       // a name, or an absolute path
  std::vector<std::string> args = {};
  std::vector<std::string> root_markers = {};  // files that mark the root of a project: go.mod, *.sln
  Json initialization_options = {};
  Json settings = {};        // the reply to workspace/configuration
  std::string install = {};  // a command that installs it
  bool enabled = true;

  // Special cases of single servers.
  std::vector<std::string> other_commands = {};  // other names of the same program
  std::vector<std::string> newer_args = {};      // added from version newer_since on
  int newer_since = 0;
  bool runs_project_code = false;      // such as build files, so it runs in the sandbox
  bool native_typescript = false;      // the program is inside TypeScript's package
  bool ignores_watched_files = false;  // notices changes on disk only in open files
  bool wants_compile_commands = false;
  // Other languages whose files can contain code of this one: vue, pyx.
  std::vector<std::string> embedding_extensions = {};
  std::size_t most_opened = 150;    // files to open for one question
  bool knows_all_projects = false;  // of the workspace, not only that of its root
  Overrides overrides = Overrides::kRenamed;
  bool checks_open_texts = false;  // diagnostics are about the open texts of all files, not those on disk

  [[nodiscard]] bool serves(std::string_view path, std::string_view beginning = {}) const;
  [[nodiscard]] bool embeds_code_in(std::string_view path) const;
  // Globs of its source files and root markers.
  [[nodiscard]] std::vector<std::string> globs() const;
};

// The built-in servers, best first for each language.
[[nodiscard]] std::vector<ServerSpec> builtin_servers();

// The built-in servers with the settings applied. Servers defined only in the settings come first.
[[nodiscard]] std::vector<ServerSpec> configured_servers(const LspSettings& settings);

// The protocol's language id of a file; "plaintext" if it is unknown.
[[nodiscard]] std::string language_id(std::string_view path, std::string_view beginning);

}  // namespace helve::lsp
