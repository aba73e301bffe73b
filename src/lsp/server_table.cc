// The language servers that Helve knows without being told. To add one, add an entry.
#include "lsp/server_spec.h"

namespace helve::lsp {
namespace {

ServerSpec pyright(std::string name, std::string command, std::string install) {
  Json analysis = JsonObject{
      {"autoSearchPaths", true}, {"useLibraryCodeForTypes", true}, {"diagnosticMode", "openFilesOnly"}};
  return {.name = std::move(name),
          .languages = {"python"},
          .extensions = {"pyi"},
          .file_names = {},
          .command = std::move(command),
          .args = {"--stdio"},
          .root_markers = {"pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg",
                           "requirements.txt", "Pipfile"},
          .settings = JsonObject{{"python", JsonObject{{"analysis", analysis}}},
                                 {"basedpyright", JsonObject{{"analysis", analysis}}}},
          .install = std::move(install)};
}

ServerSpec typescript(std::string name, std::string command, std::vector<std::string> args) {
  return {.name = std::move(name),
          .languages = {"typescript", "typescriptreact", "javascript", "javascriptreact"},
          .extensions = {"mts", "cts"},
          .file_names = {},
          .command = std::move(command),
          .args = std::move(args),
          .root_markers = {"tsconfig.json", "jsconfig.json", "package.json"},
          .install = "npm install -g typescript-language-server typescript@5"};
}

ServerSpec simple(std::string name, std::vector<std::string> languages, std::string command,
                  std::vector<std::string> args, std::string install) {
  return {.name = std::move(name),
          .languages = std::move(languages),
          .extensions = {},
          .file_names = {},
          .command = std::move(command),
          .args = std::move(args),
          .root_markers = {"package.json"},
          .install = std::move(install)};
}

ServerSpec clangd() {
  ServerSpec spec{.name = "clangd",
                  .languages = {"c", "cpp", "objective-c", "objective-cpp", "cuda-cpp"},
                  .extensions = {},
                  .file_names = {},
                  .command = "clangd",
                  .args = {"--background-index", "--header-insertion=never", "--log=error"},
                  .root_markers = {"compile_commands.json", "build/compile_commands.json",
                                   "compile_flags.txt", ".clangd", "CMakeLists.txt", "meson.build"},
                  .install = "apt install clangd"};
  spec.other_commands = {"clangd-22", "clangd-21", "clangd-20", "clangd-19", "clangd-18",
                         "clangd-17", "clangd-16", "clangd-15", "clangd-14"};
  // Questions wait for the index, which would otherwise only get the time that nobody else on the machine
  // wants.
  spec.newer_args = {"--background-index-priority=normal"};
  spec.newer_since = 15;
  spec.ignores_watched_files = true;
  spec.wants_compile_commands = true;
  return spec;
}

ServerSpec rust_analyzer() {
  // Both run code of the workspace, which nobody has agreed to.
  const Json options = JsonObject{{"cargo", JsonObject{{"buildScripts", JsonObject{{"enable", false}}}}},
                                  {"procMacro", JsonObject{{"enable", false}}},
                                  {"checkOnSave", false}};
  return {.name = "rust-analyzer",
          .languages = {"rust"},
          .extensions = {},
          .file_names = {},
          .command = "rust-analyzer",
          .args = {},
          .root_markers = {"Cargo.toml", "rust-project.json"},
          .initialization_options = options,
          .settings = JsonObject{{"rust-analyzer", options}},
          .install = "rustup component add rust-analyzer"};
}

}  // namespace

std::vector<ServerSpec> builtin_servers() {
  std::vector<ServerSpec> specs;
  specs.push_back(pyright("pyright", "pyright-langserver", "npm install -g pyright"));
  specs.push_back(pyright("basedpyright", "basedpyright-langserver", "npm install -g basedpyright"));
  specs.push_back({.name = "pylsp",
                   .languages = {"python"},
                   .extensions = {},
                   .file_names = {},
                   .command = "pylsp",
                   .args = {},
                   .root_markers = {"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"},
                   .install = "apt install python3-pylsp"});
  specs.push_back(typescript("typescript", "tsc", {"--lsp", "--stdio"}));
  specs.back().native_typescript = true;
  specs.back().install = "npm install --save-dev typescript@7";
  specs.push_back(typescript("typescript-language-server", "typescript-language-server", {"--stdio"}));
  // The server that answers while the project is loaded knows one file only.
  specs.back().initialization_options = JsonObject{{"tsserver", JsonObject{{"useSyntaxServer", "never"}}}};
  specs.push_back(clangd());
  specs.push_back({.name = "gopls",
                   .languages = {"go", "go.mod"},
                   .extensions = {},
                   .file_names = {},
                   .command = "gopls",
                   .args = {},
                   .root_markers = {"go.work", "go.mod"},
                   .install = "go install golang.org/x/tools/gopls@latest"});
  specs.push_back(rust_analyzer());
  specs.push_back(simple("bash", {"shellscript"}, "bash-language-server", {"start"},
                         "npm install -g bash-language-server"));
  const std::string extracted = "npm install -g vscode-langservers-extracted";
  specs.push_back(simple("json", {"json", "jsonc"}, "vscode-json-language-server", {"--stdio"}, extracted));
  specs.push_back(simple("html", {"html"}, "vscode-html-language-server", {"--stdio"}, extracted));
  specs.push_back(
      simple("css", {"css", "scss", "less"}, "vscode-css-language-server", {"--stdio"}, extracted));
  specs.push_back(
      simple("yaml", {"yaml"}, "yaml-language-server", {"--stdio"}, "npm install -g yaml-language-server"));
  return specs;
}

}  // namespace helve::lsp
