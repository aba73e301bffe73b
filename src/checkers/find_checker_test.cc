#include "checkers/find_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/strings.h"
#include "base/test_directory.h"

namespace helve::checkers {
namespace {

class FindCheckerTest : public ::testing::Test {
 public:
  FindCheckerTest() : path_(std::getenv("PATH")) {
    std::filesystem::create_directories(at("bin"));
    std::filesystem::create_directories(at("w"));
    ::setenv("PATH", at("bin").c_str(), 1);
  }
  ~FindCheckerTest() override { ::setenv("PATH", path_.c_str(), 1); }

  std::string at(const std::string& name) const { return directory_.at(name); }
  void put(const std::string& name, std::string_view text = "") const {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    std::ofstream(at(name)) << text;
  }
  void program(const std::string& name) const {
    put(name, "#!/bin/sh\n");
    ::chmod(at(name).c_str(), 0755);
  }
  Subject subject(const std::string& path, const std::string& language) const {
    return {.workspace = at("w"), .path = path, .language = language};
  }

  TestDirectory directory_;
  std::string path_;
};

TEST_F(FindCheckerTest, ChoosesTheFirstInstalledByDefault) {
  program("bin/flake8");
  const auto chosen = choose_checker(Purpose::kLint, "", subject("a.py", "python"));
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->spec->name, "flake8");
  EXPECT_EQ(chosen->program, at("bin/flake8"));
  EXPECT_EQ(chosen->project_code, "");
}

TEST_F(FindCheckerTest, ChoosesTheConfiguredChecker) {
  program("bin/black");
  program("bin/yapf3");
  put("w/setup.cfg", "[yapf]\ncolumn_limit = 80\n");
  EXPECT_EQ(choose_checker(Purpose::kFormat, "", subject("src/a.py", "python"))->spec->name, "yapf");
  EXPECT_EQ(choose_checker(Purpose::kFormat, "black", subject("src/a.py", "python"))->spec->name, "black");
}

TEST_F(FindCheckerTest, NeverFormatsWithAnotherThanTheConfiguredFormatter) {
  program("bin/autopep8");
  put("w/pyproject.toml", "[tool.black]\nline-length = 100\n");
  const auto chosen = choose_checker(Purpose::kFormat, "", subject("a.py", "python"));
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(chosen.error().message, "black is not installed, and the project is configured for it.");
  EXPECT_THAT(chosen.error().hint, ::testing::HasSubstr("pip install black"));
  EXPECT_EQ(chosen.error().details.find("state")->as_string(), "did-not-run");
  EXPECT_THAT(chosen.error().details.find("install")->as_string(), ::testing::HasSubstr("apt install black"));
}

TEST_F(FindCheckerTest, NeverLintsWithAnotherThanAConfiguredLinter) {
  program("bin/flake8");
  put("w/.pylintrc");
  const auto chosen = choose_checker(Purpose::kLint, "", subject("a.py", "python"));
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().message, "pylint is not installed, and the project is configured for it.");
  EXPECT_EQ(choose_checker(Purpose::kLint, "flake8", subject("a.py", "python"))->spec->name, "flake8");
  // Another one that the project configures as well is used, and the missing one named.
  put("w/.flake8");
  const auto other = choose_checker(Purpose::kLint, "auto", subject("a.py", "python"));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->spec->name, "flake8");
  ASSERT_EQ(other->notes.size(), 1U);
  EXPECT_THAT(other->notes[0], ::testing::HasSubstr("also configured for pylint, which is not installed"));
}

TEST_F(FindCheckerTest, AConfigurationInACommentDoesNotCount) {
  program("bin/black");
  put("w/pyproject.toml", "[project]\n  # [tool.ruff]\n");
  const auto chosen = choose_checker(Purpose::kFormat, "auto", subject("a.py", "python"));
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->spec->name, "black");
}

TEST_F(FindCheckerTest, EveryConfigurationNamesItsChecker) {
  struct Case {
    Purpose purpose;
    std::string_view file, text, subject, language, name;
  };
  constexpr auto kFormat = Purpose::kFormat;
  constexpr auto kLint = Purpose::kLint;
  const Case cases[] = {
      {kFormat, "ruff.toml", "", "a.py", "python", "ruff"},
      {kFormat, "pyproject.toml", "[tool.ruff]\n", "a.py", "python", "ruff"},
      {kLint, "pyproject.toml", "[tool.ruff.lint]\n", "a.py", "python", "ruff"},
      {kFormat, "biome.json", "{}", "a.ts", "typescript", "biome"},
      {kLint, "biome.jsonc", "{}", "a.css", "css", "biome"},
      {kFormat, "dprint.json", "{}", "a.md", "markdown", "dprint"},
      {kFormat, "deno.json", "{}", "a.ts", "typescript", "deno"},
      {kLint, "deno.jsonc", "{}", "a.ts", "typescript", "deno"},
      {kLint, ".oxlintrc.json", "{}", "a.js", "javascript", "oxlint"},
      {kLint, ".golangci.yml", "", "a.go", "go", "golangci-lint"},
      {kFormat, ".golangci.yml", "formatters:\n", "a.go", "go", "golangci-lint"},
      {kFormat, ".rubocop.yml", "", "a.rb", "ruby", "rubocop"},
      {kLint, ".rubocop.yml", "", "a.rb", "ruby", "rubocop"},
      {kFormat, ".php-cs-fixer.dist.php", "", "a.php", "php", "php-cs-fixer"},
      {kFormat, ".editorconfig", "ktlint_code_style = android_studio\n", "a.kt", "kotlin", "ktlint"},
      {kLint, "build.gradle.kts", "id(\"org.jlleitschuh.gradle.ktlint\")\n", "a.kt", "kotlin", "ktlint"},
      {kFormat, "taplo.toml", "", "a.toml", "toml", "taplo"},
  };
  for (const char* name : {"black", "flake8", "prettier", "eslint", "gofmt"}) program(concat("bin/", name));
  for (const Case& each : cases) {
    const std::string file = concat("w/", each.file);
    put(file, each.text);
    const Subject here = subject(std::string(each.subject), std::string(each.language));
    const auto missing = choose_checker(each.purpose, "", here);
    ASSERT_FALSE(missing) << each.file;
    EXPECT_EQ(missing.error().message,
              concat(each.name, " is not installed, and the project is configured for it."));
    program(concat("bin/", each.name));
    const auto chosen = choose_checker(each.purpose, "auto", here);
    ASSERT_TRUE(chosen) << each.file << chosen.error().message;
    EXPECT_EQ(chosen->spec->name, each.name) << each.file;
    std::filesystem::remove(at(concat("bin/", each.name)));
    std::filesystem::remove(at(file));
  }
}

TEST_F(FindCheckerTest, TheNearestConfigurationDecides) {
  program("bin/prettier");
  program("bin/biome");
  put("w/.prettierrc");
  put("w/packages/a/biome.json", "{}");
  EXPECT_EQ(choose_checker(Purpose::kFormat, "", subject("packages/a/x.ts", "typescript"))->spec->name,
            "biome");
  EXPECT_EQ(choose_checker(Purpose::kFormat, "", subject("packages/b/x.ts", "typescript"))->spec->name,
            "prettier");
}

TEST_F(FindCheckerTest, ReportsMissingProgramsAndHowToInstallThem) {
  const auto chosen = choose_checker(Purpose::kLint, "", subject("a.sh", "shellscript"));
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().message, "shellcheck is not installed.");
  EXPECT_EQ(chosen.error().hint, "Install it: apt install shellcheck.");
  const auto several = choose_checker(Purpose::kFormat, "", subject("a.py", "python"));
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message, ::testing::HasSubstr("black, autopep8, yapf or ruff"));
}

TEST_F(FindCheckerTest, ListsAvailableCheckersForAnUnknownName) {
  const auto unknown = choose_checker(Purpose::kLint, "rough", subject("a.py", "python"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(unknown.error().message, "There is no linter rough.");
  EXPECT_THAT(unknown.error().hint, ::testing::HasSubstr("pylint, flake8 or ruff"));
  EXPECT_EQ(choose_checker(Purpose::kFormat, "gofmt", subject("a.py", "python")).error().message,
            "gofmt is not a formatter for a.py.");
  EXPECT_EQ(choose_checker(Purpose::kFormat, "", subject("a.xyz", "")).error().message,
            "There is no formatter for a.xyz, whose language is unknown.");
}

TEST_F(FindCheckerTest, ProgramOfTheProjectComesFirstAndIsProjectCode) {
  program("bin/prettier");
  program("w/node_modules/.bin/prettier");
  program("w/packages/a/node_modules/.bin/prettier");
  const auto near = choose_checker(Purpose::kFormat, "", subject("packages/a/src/x.css", "css"));
  ASSERT_TRUE(near);
  EXPECT_EQ(near->program, at("w/packages/a/node_modules/.bin/prettier"));
  EXPECT_THAT(near->project_code, ::testing::HasSubstr("part of the project"));
  EXPECT_EQ(choose_checker(Purpose::kFormat, "", subject("packages/b/x.css", "css"))->program,
            at("w/node_modules/.bin/prettier"));
}

TEST_F(FindCheckerTest, SymlinkOutOfTheProjectIsProjectCode) {
  program("elsewhere/black");
  std::filesystem::create_directories(at("w/.venv/bin"));
  std::filesystem::create_symlink(at("elsewhere/black"), at("w/.venv/bin/black"));
  EXPECT_NE(choose_checker(Purpose::kFormat, "", subject("a.py", "python"))->project_code, "");
}

TEST_F(FindCheckerTest, VirtualEnvironmentOfTheUserIsNotProjectCode) {
  program("mine/bin/black");
  Subject outside = subject("a.py", "python");
  outside.virtual_environment = at("mine");
  const auto chosen = choose_checker(Purpose::kFormat, "", outside);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->program, at("mine/bin/black"));
  EXPECT_EQ(chosen->project_code, "");
}

TEST_F(FindCheckerTest, ConfigurationThatRunsCodeIsProjectCode) {
  program("bin/pylint");
  program("bin/flake8");
  program("bin/prettier");
  program("bin/eslint");
  program("bin/rustfmt");
  const auto code = [&](Purpose purpose, std::string_view name, const Subject& file) {
    return choose_checker(purpose, name, file)->project_code;
  };
  const Subject python = subject("a.py", "python");
  put("w/.pylintrc", "[MASTER]\njobs=1\n");
  EXPECT_EQ(code(Purpose::kLint, "pylint", python), "");
  put("w/.pylintrc", "[MASTER]\nInit-Hook=import evil\n");
  EXPECT_THAT(code(Purpose::kLint, "pylint", python),
              ::testing::HasSubstr(".pylintrc can make pylint run project code"));
  put("w/.pylintrc", std::string(300'000, '#'));
  EXPECT_NE(code(Purpose::kLint, "pylint", python), "") << "too long to be sure";
  std::filesystem::remove(at("w/.pylintrc"));
  put("w/pyproject.toml", "[tool.pylint]\n\"load\\u002dplugins\" = [\"evil\"]\n");
  EXPECT_NE(code(Purpose::kLint, "pylint", python), "") << "spelled as an escape";
  EXPECT_EQ(code(Purpose::kLint, "flake8", python), "");
  put("w/tox.ini", "[flake8:local-plugins]\nextension = X = evil:X\n");
  EXPECT_NE(code(Purpose::kLint, "flake8", python), "");
  EXPECT_NE(code(Purpose::kLint, "", subject("a.js", "javascript")), "") << "eslint's is always a program";
  EXPECT_EQ(code(Purpose::kFormat, "", subject("a.md", "markdown")), "");
  put("w/package.json", "{\"prettier\": \"@company/config\"}");
  EXPECT_NE(code(Purpose::kFormat, "", subject("a.md", "markdown")), "");
  EXPECT_EQ(code(Purpose::kFormat, "", subject("a.rs", "rust")), "");
  put("w/rust-toolchain.toml", "[toolchain]\npath = \"evil\"\n");
  EXPECT_NE(code(Purpose::kFormat, "", subject("a.rs", "rust")), "");
}

TEST_F(FindCheckerTest, DoesNotBlockOnANamedPipe) {
  program("bin/black");
  ASSERT_EQ(::mkfifo(at("w/pyproject.toml").c_str(), 0600), 0);
  EXPECT_TRUE(choose_checker(Purpose::kFormat, "", subject("a.py", "python")));
}

TEST_F(FindCheckerTest, CommandLineNamesTheFileAndStartsAtTheConfiguration) {
  program("bin/prettier");
  program("bin/rustfmt");
  program("bin/clang-tidy-19");
  program("bin/cppcheck");
  put("w/site/package.json", "{}");
  put("w/crate/Cargo.toml", "[package]\nname = \"x\"\nedition.workspace = true\n");
  put("w/Cargo.toml", "[workspace.package]\nedition = \"2024\"\n");
  const auto line = [&](Purpose purpose, std::string_view name, const Subject& file) {
    const auto chosen = choose_checker(purpose, name, file);
    const CheckerCommand command = make_command(*chosen, file);
    std::vector<std::string> arguments = command.arguments;
    arguments.front() = command.directory;
    return replace_all(join(arguments, " "), at("w"), "W");
  };
  EXPECT_EQ(line(Purpose::kFormat, "", subject("site/src/a.css", "css")),
            "site --stdin-filepath W/site/src/a.css");
  EXPECT_EQ(line(Purpose::kFormat, "", subject("crate/src/a.rs", "rust")),
            "crate/src --emit stdout --edition 2024");
  EXPECT_EQ(line(Purpose::kLint, "clang-tidy", subject("src/a.cc", "cpp")), "src --quiet W/src/a.cc --");
  put("w/build/compile_commands.json", "[]");
  EXPECT_EQ(line(Purpose::kLint, "", subject("src/a.cc", "cpp")), "src --quiet -p=W/build W/src/a.cc");
  EXPECT_THAT(line(Purpose::kLint, "cppcheck", subject("src/a.c", "c")),
              ::testing::HasSubstr("--language=c --template"));
}

TEST(CheckerTable, EveryRowIsComplete) {
  for (const CheckerSpec& spec : checker_table()) {
    EXPECT_FALSE(spec.name.empty() || spec.programs.empty() || spec.install.empty() || spec.languages.empty())
        << spec.name;
    EXPECT_EQ(spec.purpose == Purpose::kFormat, spec.reader == Reader::kText || spec.reader == Reader::kDiff)
        << spec.name;
    // A dot is the package of the file.
    EXPECT_TRUE(spec.takes_input || spec.arguments.contains("{path}") || spec.arguments.ends_with(" ."))
        << spec.name;
  }
  EXPECT_EQ(checker_status().size(), checker_table().size());
}

}  // namespace
}  // namespace helve::checkers
