// Finds a language server's program and the root directory of a file's project.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lsp/server_spec.h"
#include "workspace/root.h"

namespace helve::lsp {

struct FoundProgram {
  std::string path;  // absolute
  // The program or its code is in the workspace, or it runs build files of the workspace. It gets a sandbox.
  bool needs_sandbox = false;
};

// Looks in node_modules/.bin and virtual environments from the project's root up to the workspace, then in
// PATH.
[[nodiscard]] std::optional<FoundProgram> find_server_program(const ServerSpec& spec,
                                                              const workspace::Root& workspace,
                                                              const std::string& project_root);

// The version in the program's real path, such as llvm-19/bin/clangd or clangd-19; 0 if there is none.
[[nodiscard]] int version_in_path(const std::string& program);

// The nearest directory above the file that contains one of the markers, or the workspace. `path` is
// absolute.
[[nodiscard]] std::string find_project_root(const ServerSpec& spec, const workspace::Root& workspace,
                                            const std::string& path);

// lib/pythonX.Y/site-packages of the project's virtual environments. Servers get these paths and not the
// interpreter, because they would run it.
[[nodiscard]] std::vector<std::string> find_site_packages(const workspace::Root& workspace,
                                                          const std::string& project_root);

}  // namespace helve::lsp
