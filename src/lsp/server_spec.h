// Which language servers there are, for which files, and how they are started: a table that settings change.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "helve/settings.h"

namespace helve::lsp {

// A value.
struct ServerSpec {
  std::string name;                     // "pyright"
  std::vector<std::string> languages;   // ids as in workspace/language.h
  std::vector<std::string> extensions;  // besides those of the languages, without the dot
  std::vector<std::string> file_names;  // whole names
  std::string command;                  // a name, or an absolute path
  std::vector<std::string> args;
  std::vector<std::string> root_markers;  // files that are where a project begins
  Json initialization_options = {};
  Json settings = {};        // what it gets when it asks for its configuration
  std::string install = {};  // a command that installs it
  bool enabled = true;

  // What has to be known about single servers.
  std::vector<std::string> other_commands = {};  // names under which the same program is installed, too
  std::vector<std::string> newer_args = {};      // further ones, from version newer_since on
  int newer_since = 0;
  bool native_typescript = false;      // the program lies in TypeScript's package, beside a wrapper
  bool ignores_watched_files = false;  // changes on disk count once a file is opened
  bool wants_compile_commands = false;

  [[nodiscard]] bool serves(std::string_view path, std::string_view beginning = {}) const;
  // Globs of the files that it cares about.
  [[nodiscard]] std::vector<std::string> globs() const;
};

// The built-in ones, best first for each language.
[[nodiscard]] std::vector<ServerSpec> builtin_servers();

// The built-in ones as the settings change them, those that only the settings have first.
[[nodiscard]] std::vector<ServerSpec> configured_servers(const Settings::Lsp& settings);

// The protocol's name for the language of a file; "plaintext" when there is none.
[[nodiscard]] std::string language_id(std::string_view path, std::string_view beginning);

}  // namespace helve::lsp
