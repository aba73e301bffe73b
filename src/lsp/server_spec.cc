#include "lsp/server_spec.h"

#include <algorithm>

#include "base/strings.h"
#include "helve/settings/lsp.h"
#include "text/language.h"

namespace helve::lsp {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string extension_of(std::string_view path) {
  const std::string_view name = file_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string() : to_lower(name.substr(dot + 1));
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

void apply(ServerSpec& spec, const LanguageServerSettings& given) {
  if (given.enabled) spec.enabled = *given.enabled;
  if (given.command) {
    spec.command = *given.command;
    spec.native_typescript = false;
    spec.other_commands.clear();
  }
  if (given.args) {
    spec.args = *given.args;
    spec.newer_args.clear();
  }
  if (given.languages) spec.languages = *given.languages;
  if (given.files) {
    spec.extensions.clear();
    spec.file_names.clear();
    for (const std::string& file : *given.files) {
      if (file.starts_with("*."))
        spec.extensions.push_back(to_lower(file.substr(2)));
      else if (file.starts_with('.') && file.find('.', 1) == std::string::npos)
        spec.extensions.push_back(to_lower(file.substr(1)));
      else
        spec.file_names.push_back(file);
    }
  }
  if (given.root_markers) spec.root_markers = *given.root_markers;
  if (given.initialization_options) spec.initialization_options = *given.initialization_options;
  if (given.settings) spec.settings = *given.settings;
  if (given.install) spec.install = *given.install;
}

}  // namespace

std::string language_id(std::string_view path, std::string_view beginning) {
  const auto language = text::language_of(path, beginning);
  return language ? std::string(language->id) : "plaintext";
}

bool ServerSpec::serves(std::string_view path, std::string_view beginning) const {
  if (contains(file_names, file_name(path))) return true;
  if (const std::string extension = extension_of(path); !extension.empty() && contains(extensions, extension))
    return true;
  const auto language = text::language_of(path, beginning);
  return language && contains(languages, language->id);
}

std::vector<std::string> ServerSpec::globs() const {
  std::vector<std::string> globs;
  for (const std::string& extension : extensions) globs.push_back(concat("*.", extension));
  for (const std::string& file : file_names) globs.push_back(file);
  for (const text::LanguageRow& row : text::language_table()) {
    if (!contains(languages, row.language.id)) continue;
    for (const std::string_view extension : split(row.extensions, ' '))
      if (!extension.empty()) globs.push_back(concat("*.", extension));
  }
  for (const std::string& marker : root_markers)
    if (marker.find('/') == std::string::npos && !marker.starts_with('.')) globs.push_back(marker);
  return globs;
}

std::vector<ServerSpec> configured_servers(const LspSettings& settings) {
  std::vector<ServerSpec> specs = builtin_servers();
  std::vector<ServerSpec> own;
  for (const auto& [name, given] : settings.servers) {
    const auto known = std::ranges::find(specs, name, &ServerSpec::name);
    if (known != specs.end()) {
      apply(*known, given);
      continue;
    }
    ServerSpec spec{.name = name, .command = name};
    apply(spec, given);
    own.push_back(std::move(spec));
  }
  std::ranges::move(specs, std::back_inserter(own));
  return own;
}

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
  // Queries wait for the index, which would otherwise run at idle priority.
  spec.newer_args = {"--background-index-priority=normal"};
  spec.newer_since = 15;
  spec.ignores_watched_files = true;
  spec.wants_compile_commands = true;
  return spec;
}

ServerSpec rust_analyzer() {
  // Build scripts and macros would run workspace code without approval.
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
  // The syntax server, which answers while the project loads, knows only one file.
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
