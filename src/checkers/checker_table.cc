// To add a formatter or linter, add a row. A linter with a new output format also needs a reader.
#include "checkers/checker_table.h"

#include <algorithm>

#include "base/find_program.h"
#include "base/strings.h"

namespace helve::checkers {
namespace {

constexpr Sign kAlways[] = {{}};

constexpr Sign kBlack[] = {{"pyproject.toml", "[tool.black]"}};
constexpr Sign kAutopep8[] = {{"pyproject.toml", "[tool.autopep8]"}, {"setup.cfg tox.ini .pep8", "[pep8]"}};
constexpr Sign kYapf[] = {{".style.yapf"}, {"pyproject.toml", "[tool.yapf]"}, {"setup.cfg", "[yapf]"}};
constexpr Sign kPylint[] = {{"pylintrc .pylintrc pylintrc.toml .pylintrc.toml"},
                            {"pyproject.toml", "[tool.pylint"},
                            {"setup.cfg tox.ini", "[pylint"}};
constexpr Sign kPylintCode[] = {
    {"pylintrc .pylintrc pylintrc.toml .pylintrc.toml pyproject.toml setup.cfg tox.ini",
     "load-plugins load_plugins init-hook init_hook"}};
constexpr Sign kFlake8[] = {{".flake8"}, {"setup.cfg tox.ini", "[flake8"}};
constexpr Sign kFlake8Code[] = {{".flake8 setup.cfg tox.ini", "local-plugins local_plugins"}};
// All of these can name plugins, and most can be programs.
constexpr Sign kPrettier[] = {
    {".prettierrc .prettierrc.json .prettierrc.yml .prettierrc.yaml .prettierrc.json5 .prettierrc.js "
     ".prettierrc.cjs .prettierrc.mjs .prettierrc.ts .prettierrc.cts .prettierrc.mts .prettierrc.toml "
     "prettier.config.js prettier.config.cjs prettier.config.mjs prettier.config.ts prettier.config.cts "
     "prettier.config.mts"},
    {"package.json package.yaml", "prettier"}};
constexpr Sign kEslint[] = {
    {"eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts eslint.config.mts "
     "eslint.config.cts .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yml .eslintrc.yaml"},
    {"package.json", "eslintConfig"}};
constexpr Sign kClangFormat[] = {{".clang-format _clang-format"}};
constexpr Sign kClangTidy[] = {{".clang-tidy"}};
constexpr Sign kCompilerFlags[] = {{"compile_commands.json build/compile_commands.json compile_flags.txt"}};
// rustup starts the toolchain that the project names, which can be part of the project.
constexpr Sign kRustCode[] = {{"rust-toolchain rust-toolchain.toml"}};

constexpr Sign kRuff[] = {{"ruff.toml .ruff.toml"}, {"pyproject.toml", "[tool.ruff"}};
constexpr Sign kBiome[] = {{"biome.json biome.jsonc .biome.json .biome.jsonc"}};
// dprint downloads and runs the plugins that it names.
constexpr Sign kDprint[] = {{"dprint.json dprint.jsonc .dprint.json .dprint.jsonc"}};
constexpr Sign kDeno[] = {{"deno.json deno.jsonc"}};
constexpr Sign kDenoCode[] = {{"deno.json deno.jsonc", "\"plugins\""}};
constexpr Sign kOxlint[] = {{".oxlintrc.json .oxlintrc.jsonc oxlint.config.ts"}};
constexpr Sign kOxlintCode[] = {{"oxlint.config.ts"}, {".oxlintrc.json .oxlintrc.jsonc", "jsPlugins"}};
constexpr Sign kGolangciFormat[] = {
    {".golangci.yml .golangci.yaml .golangci.toml .golangci.json", "formatters"}};
constexpr Sign kGolangci[] = {{".golangci.yml .golangci.yaml .golangci.toml .golangci.json"}};
// A configuration can name plugins, be a template or be a program.
constexpr Sign kRubocop[] = {{".rubocop.yml"}};
constexpr Sign kPhpCsFixer[] = {{".php-cs-fixer.php .php-cs-fixer.dist.php"}};
constexpr Sign kKtlint[] = {{".editorconfig", "ktlint_"}, {"build.gradle build.gradle.kts", "ktlint"}};
constexpr Sign kTaplo[] = {{"taplo.toml .taplo.toml"}};

constexpr std::string_view kWeb =
    "javascript javascriptreact typescript typescriptreact json jsonc css graphql";
constexpr std::string_view kC = "c cpp objective-c objective-cpp cuda-cpp";
constexpr std::string_view kScripts = "javascript javascriptreact typescript typescriptreact";

// clang-format off
constexpr CheckerSpec kTable[] = {
    {.name = "black", .languages = "python", .programs = "black",
     .arguments = "-q --stdin-filename {path} -", .configuration = kBlack,
     .install = "pip install black (Debian: apt install black)"},
    {.name = "autopep8", .languages = "python", .programs = "autopep8",
     .arguments = "-", .configuration = kAutopep8,
     .install = "pip install autopep8 (Debian: apt install python3-autopep8)"},
    {.name = "yapf", .languages = "python", .programs = "yapf yapf3",
     .arguments = "", .configuration = kYapf,
     .install = "pip install yapf (Debian: apt install yapf3)"},
    {.name = "ruff", .languages = "python", .programs = "ruff",
     .arguments = "format --quiet --stdin-filename {path} -", .configuration = kRuff,
     .install = "pip install ruff"},
    // Before prettier, which package.json often mentions without being used.
    {.name = "biome", .languages = kWeb, .programs = "biome", .arguments = "format --stdin-file-path={path}",
     .configuration = kBiome, .start_markers = "biome.json biome.jsonc .biome.json .biome.jsonc",
     .install = "npm install --save-dev @biomejs/biome", .needs_configuration = true},
    {.name = "dprint",
     .languages = "javascript javascriptreact typescript typescriptreact json jsonc css scss less html markdown toml yaml python",
     .programs = "dprint", .arguments = "fmt --stdin {path}", .configuration = kDprint, .code = kDprint,
     .install = "npm install --save-dev dprint", .needs_configuration = true},
    {.name = "deno",
     .languages = "javascript javascriptreact typescript typescriptreact json jsonc css html markdown yaml",
     .programs = "deno", .arguments = "fmt --quiet --ext {extension} -", .configuration = kDeno,
     .install = "npm install -g deno", .needs_configuration = true},
    {.name = "prettier",
     .languages = "javascript javascriptreact typescript typescriptreact css scss less html vue markdown json jsonc yaml graphql",
     .programs = "prettier", .arguments = "--stdin-filepath {path}", .configuration = kPrettier,
     .code = kPrettier, .start_markers = ".prettierignore package.json",
     .install = "npm install --save-dev prettier"},
    {.name = "clang-format", .languages = kC,
     .programs = "clang-format clang-format-22 clang-format-21 clang-format-20 clang-format-19 clang-format-18 clang-format-17 clang-format-16 clang-format-15 clang-format-14",
     .arguments = "--assume-filename={path}", .configuration = kClangFormat,
     .install = "apt install clang-format"},
    {.name = "gofmt", .languages = "go", .programs = "gofmt", .arguments = "",
     .install = "apt install golang-go"},
    {.name = "rustfmt", .languages = "rust", .programs = "rustfmt", .arguments = "--emit stdout {edition}",
     .code = kRustCode, .install = "rustup component add rustfmt (Debian: apt install rustfmt)"},
    {.name = "shfmt", .languages = "shellscript", .programs = "shfmt", .arguments = "--filename {path}",
     .install = "apt install shfmt"},
    {.name = "golangci-lint", .languages = "go", .programs = "golangci-lint", .arguments = "fmt --stdin",
     .configuration = kGolangciFormat, .install = "brew install golangci-lint", .needs_configuration = true},
    {.name = "rubocop", .languages = "ruby", .programs = "rubocop",
     .arguments = "--fix-layout --stderr --stdin {path}", .configuration = kRubocop, .code = kRubocop,
     .start_markers = ".rubocop.yml", .install = "gem install rubocop", .accepted_exit_code = 1},
    {.name = "php-cs-fixer", .languages = "php", .programs = "php-cs-fixer",
     .arguments = "fix --dry-run --diff --format=json --using-cache=no --no-interaction -",
     .reader = Reader::kDiff, .configuration = kPhpCsFixer, .code = kPhpCsFixer,
     .start_markers = ".php-cs-fixer.php .php-cs-fixer.dist.php",
     .install = "composer require --dev friendsofphp/php-cs-fixer", .accepted_exit_code = 8},
    {.name = "ktlint", .languages = "kotlin", .programs = "ktlint",
     .arguments = "--format --stdin --log-level=none", .configuration = kKtlint,
     .install = "brew install ktlint", .accepted_exit_code = 1},
    {.name = "taplo", .languages = "toml", .programs = "taplo",
     .arguments = "format --stdin-filepath={path} -", .configuration = kTaplo,
     .start_markers = "taplo.toml .taplo.toml", .install = "npm install -g @taplo/cli"},

    {.name = "pylint", .purpose = Purpose::kLint, .languages = "python", .programs = "pylint",
     .arguments = "--output-format=json --score=n --from-stdin {path}", .reader = Reader::kPylint,
     .configuration = kPylint, .code = kPylintCode,
     .start_markers = "pylintrc .pylintrc pylintrc.toml .pylintrc.toml pyproject.toml setup.cfg tox.ini",
     .install = "pip install pylint (Debian: apt install pylint)"},
    {.name = "flake8", .purpose = Purpose::kLint, .languages = "python", .programs = "flake8",
     .arguments = "--format=default --stdin-display-name {path} -", .reader = Reader::kFlake8,
     .configuration = kFlake8, .code = kFlake8Code,
     .install = "pip install flake8 (Debian: apt install flake8)"},
    {.name = "eslint", .purpose = Purpose::kLint, .languages = kScripts, .programs = "eslint",
     .arguments = "--format json --stdin --stdin-filename {path}", .reader = Reader::kEslint,
     .configuration = kEslint, .code = kAlways,
     .start_markers = "eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts eslint.config.mts eslint.config.cts .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yml .eslintrc.yaml package.json",
     .install = "npm install --save-dev eslint"},
    {.name = "ruff", .purpose = Purpose::kLint, .languages = "python", .programs = "ruff",
     .arguments = "check --quiet --output-format json --stdin-filename {path} -", .reader = Reader::kRuff,
     .configuration = kRuff, .install = "pip install ruff"},
    {.name = "biome", .purpose = Purpose::kLint, .languages = kWeb, .programs = "biome",
     .arguments = "lint --reporter=json {path}", .takes_input = false, .reader = Reader::kBiome,
     .configuration = kBiome, .start_markers = "biome.json biome.jsonc .biome.json .biome.jsonc",
     .install = "npm install --save-dev @biomejs/biome", .needs_configuration = true},
    {.name = "oxlint", .purpose = Purpose::kLint, .languages = kScripts, .programs = "oxlint",
     .arguments = "--format=json {path}", .takes_input = false, .reader = Reader::kOxlint,
     .configuration = kOxlint, .code = kOxlintCode,
     .start_markers = ".oxlintrc.json .oxlintrc.jsonc oxlint.config.ts",
     .install = "npm install --save-dev oxlint", .needs_configuration = true},
    {.name = "deno", .purpose = Purpose::kLint, .languages = kScripts, .programs = "deno",
     .arguments = "lint --json {path}", .takes_input = false, .reader = Reader::kDenoLint,
     .configuration = kDeno, .code = kDenoCode, .start_markers = "deno.json deno.jsonc",
     .install = "npm install -g deno", .needs_configuration = true},
    {.name = "golangci-lint", .purpose = Purpose::kLint, .languages = "go", .programs = "golangci-lint",
     .arguments = "run --output.json.path=stdout --show-stats=false --issues-exit-code=0 .",
     .takes_input = false, .reader = Reader::kGolangciLint, .configuration = kGolangci, .code = kGolangci,
     .install = "brew install golangci-lint"},
    {.name = "rubocop", .purpose = Purpose::kLint, .languages = "ruby", .programs = "rubocop",
     .arguments = "--format json --stdin {path}", .reader = Reader::kRubocop, .configuration = kRubocop,
     .code = kRubocop, .start_markers = ".rubocop.yml", .install = "gem install rubocop"},
    {.name = "ktlint", .purpose = Purpose::kLint, .languages = "kotlin", .programs = "ktlint",
     .arguments = "--reporter=json --stdin --log-level=none", .reader = Reader::kKtlint,
     .configuration = kKtlint, .install = "brew install ktlint"},
    // Without a list of the compiler's flags it guesses, so cppcheck comes first unless there are signs of it.
    {.name = "cppcheck", .purpose = Purpose::kLint, .languages = "c cpp", .programs = "cppcheck",
     .arguments = "--quiet --enable=warning,style,performance,portability --inline-suppr --language={language} --template={severity}\\t{line}\\t{column}\\t{id}\\t{file}\\t{message} {path}",
     .takes_input = false, .reader = Reader::kCppcheck, .install = "apt install cppcheck"},
    {.name = "clang-tidy", .purpose = Purpose::kLint, .languages = kC,
     .programs = "clang-tidy clang-tidy-22 clang-tidy-21 clang-tidy-20 clang-tidy-19 clang-tidy-18 clang-tidy-17 clang-tidy-16 clang-tidy-15 clang-tidy-14",
     .arguments = "--quiet {database} {path}", .takes_input = false, .reader = Reader::kClangTidy,
     .configuration = kClangTidy, .install = "apt install clang-tidy", .preference = kCompilerFlags},
    {.name = "shellcheck", .purpose = Purpose::kLint, .languages = "shellscript", .programs = "shellcheck",
     .arguments = "--format=json1 {path}", .takes_input = false, .reader = Reader::kShellcheck,
     .install = "apt install shellcheck"},
};
// clang-format on

}  // namespace

std::span<const CheckerSpec> checker_table() { return kTable; }

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words = split(list, ' ');
  std::erase(words, "");
  return words;
}

std::vector<const CheckerSpec*> checkers_for(Purpose purpose, std::string_view language) {
  std::vector<const CheckerSpec*> found;
  for (const CheckerSpec& spec : checker_table()) {
    if (spec.purpose != purpose) continue;
    const std::vector<std::string_view> languages = words_of(spec.languages);
    if (language.empty() || std::ranges::find(languages, language) != languages.end()) found.push_back(&spec);
  }
  return found;
}

std::string_view noun_of(Purpose purpose) { return purpose == Purpose::kFormat ? "formatter" : "linter"; }

std::vector<CheckerStatus> checker_status() {
  std::vector<CheckerStatus> all;
  for (const CheckerSpec& spec : checker_table()) {
    CheckerStatus status{.spec = &spec};
    for (const std::string_view name : words_of(spec.programs))
      if (status.program.empty()) status.program = find_program(std::string(name)).value_or("");
    all.push_back(std::move(status));
  }
  return all;
}

}  // namespace helve::checkers
