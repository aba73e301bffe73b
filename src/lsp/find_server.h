// Finds the program of a language server, and the directory that it should take for the project.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lsp/server_spec.h"
#include "workspace/root.h"

namespace helve::lsp {

struct FoundProgram {
  std::string path;           // absolute
  bool of_workspace = false;  // the program, or what it loads, lies in the workspace
};

// Looks in node_modules/.bin and virtual environments from the project's root up to the workspace, then in
// PATH.
[[nodiscard]] std::optional<FoundProgram> find_server_program(const ServerSpec& spec, const Root& workspace,
                                                              const std::string& project_root);

// The version that the real path of a program tells, as in llvm-19/bin/clangd and clangd-19; 0 when it tells
// none.
[[nodiscard]] int version_in_path(const std::string& program);

// The nearest directory above the file that has one of the markers, in the order of the markers' worth; the
// workspace when there is none. `path` is absolute.
[[nodiscard]] std::string find_project_root(const ServerSpec& spec, const Root& workspace,
                                            const std::string& path);

// lib/pythonX.Y/site-packages of virtual environments in the project. Named instead of their interpreter,
// which would be run.
[[nodiscard]] std::vector<std::string> find_site_packages(const Root& workspace,
                                                          const std::string& project_root);

}  // namespace helve::lsp
