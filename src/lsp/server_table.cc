// The built-in language servers: programs, markers and how to install them.
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
          .install = std::move(install),
          .embedding_extensions = {"pyx", "pxd", "ipynb"},
          .overrides = Overrides::kLeft,
          .checks_open_texts = true};
}

ServerSpec ty() {
  ServerSpec spec = pyright("ty", "ty", "uv tool install ty");
  spec.args = {"server"};
  spec.root_markers.insert(spec.root_markers.begin(), "ty.toml");
  spec.settings = {};
  return spec;
}

ServerSpec typescript(std::string name, std::string command, std::vector<std::string> args) {
  return {.name = std::move(name),
          .languages = {"typescript", "typescriptreact", "javascript", "javascriptreact"},
          .extensions = {"mts", "cts"},
          .file_names = {},
          .command = std::move(command),
          .args = std::move(args),
          .root_markers = {"tsconfig.json", "jsconfig.json", "package.json"},
          .install = "npm install -g typescript-language-server typescript@5",
          .embedding_extensions = {"vue", "svelte", "astro", "mdx"},
          .knows_all_projects = true,
          .checks_open_texts = true};
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
  spec.embedding_extensions = {"inc", "inl", "ipp", "tpp", "tcc", "def", "ino"};
  spec.most_opened = 24;  // each costs a compilation
  spec.knows_all_projects = true;
  spec.overrides = Overrides::kRenamedOnceIndexed;
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

// Servers that run build files of the project to learn about it, and therefore run in the sandbox.
ServerSpec builds(ServerSpec spec) {
  spec.runs_project_code = true;
  return spec;
}

void add_managed_languages(std::vector<ServerSpec>& specs) {
  const std::vector<std::string> gradle{"settings.gradle.kts", "settings.gradle", "pom.xml",
                                        "build.gradle.kts", "build.gradle"};
  specs.push_back(
      builds({.name = "jdtls",
              .languages = {"java"},
              .command = "jdtls",
              .root_markers = gradle,
              .install = "brew install jdtls, or unpack Eclipse JDT LS and add its bin to PATH"}));
  const std::vector<std::string> solution{"*.sln", "*.slnx", "*.csproj", "global.json"};
  specs.push_back(builds({.name = "csharp-ls",
                          .languages = {"csharp"},
                          .command = "csharp-ls",
                          .root_markers = solution,
                          .install = "dotnet tool install --global csharp-ls"}));
  specs.push_back(builds({.name = "omnisharp",
                          .languages = {"csharp"},
                          .command = "OmniSharp",
                          .args = {"-lsp"},
                          .root_markers = solution,
                          .install = "brew install omnisharp",
                          .other_commands = {"omnisharp"}}));
  specs.push_back(builds({.name = "kotlin-lsp",
                          .languages = {"kotlin"},
                          .command = "kotlin-lsp",
                          .args = {"--stdio"},
                          .root_markers = gradle,
                          .install = "brew install JetBrains/utils/kotlin-lsp"}));
  specs.push_back(builds({.name = "kotlin-language-server",
                          .languages = {"kotlin"},
                          .command = "kotlin-language-server",
                          .root_markers = gradle,
                          .install = "brew install kotlin-language-server"}));
  specs.push_back(builds({.name = "sourcekit-lsp",
                          .languages = {"swift"},
                          .command = "sourcekit-lsp",
                          .root_markers = {"Package.swift", "buildServer.json", "*.xcodeproj"},
                          .install = "swiftly install latest; it is part of Swift"}));
  specs.push_back(builds({.name = "zls",
                          .languages = {"zig"},
                          .command = "zls",
                          .root_markers = {"build.zig", "zls.json"},
                          .install = "brew install zls"}));
}

void add_scripting_languages(std::vector<ServerSpec>& specs) {
  const std::vector<std::string> composer{"composer.json", ".phpactor.json", ".phpactor.yml"};
  specs.push_back({.name = "intelephense",
                   .languages = {"php"},
                   .command = "intelephense",
                   .args = {"--stdio"},
                   .root_markers = composer,
                   .install = "npm install -g intelephense"});
  specs.push_back({.name = "phpactor",
                   .languages = {"php"},
                   .command = "phpactor",
                   .args = {"language-server"},
                   .root_markers = composer,
                   .install = "composer global require phpactor/phpactor"});
  specs.push_back(builds({.name = "ruby-lsp",
                          .languages = {"ruby"},
                          .command = "ruby-lsp",
                          .root_markers = {"Gemfile", "*.gemspec"},
                          .install = "gem install ruby-lsp"}));
  specs.push_back(builds({.name = "solargraph",
                          .languages = {"ruby"},
                          .command = "solargraph",
                          .args = {"stdio"},
                          .root_markers = {"Gemfile", "*.gemspec", ".solargraph.yml"},
                          .install = "gem install solargraph"}));
  specs.push_back({.name = "lua-language-server",
                   .languages = {"lua"},
                   .command = "lua-language-server",
                   .root_markers = {".luarc.json", ".luarc.jsonc", ".stylua.toml"},
                   .install = "brew install lua-language-server"});
  specs.push_back(builds({.name = "terraform-ls",
                          .extensions = {"tf", "tfvars"},
                          .command = "terraform-ls",
                          .args = {"serve"},
                          .root_markers = {".terraform.lock.hcl", "main.tf"},
                          .install = "brew install hashicorp/tap/terraform-ls"}));
}

}  // namespace

std::vector<ServerSpec> builtin_servers() {
  std::vector<ServerSpec> specs;
  specs.push_back(pyright("pyright", "pyright-langserver", "npm install -g pyright"));
  specs.push_back(pyright("basedpyright", "basedpyright-langserver", "npm install -g basedpyright"));
  specs.push_back(ty());
  specs.push_back({.name = "pylsp",
                   .languages = {"python"},
                   .extensions = {},
                   .file_names = {},
                   .command = "pylsp",
                   .args = {},
                   .root_markers = {"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"},
                   .install = "apt install python3-pylsp",
                   .overrides = Overrides::kLeft});
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
  add_managed_languages(specs);
  add_scripting_languages(specs);
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
