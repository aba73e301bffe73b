// format_code and lint_code with the real programs, through the whole path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/find_program.h"
#include "base/strings.h"
#include "tools/testing.h"
#include "unit/places.h"

namespace helve::tools {
namespace {

#define NEEDS(program) \
  if (!find_program(program)) GTEST_SKIP() << (program) << " is not installed; see scripts/deps"

class CheckCodeTest : public helve::testing::ToolTest {
 protected:
  Json data(const std::string& tool, JsonObject arguments) {
    const Answer answer = call(tool, std::move(arguments));
    if (!answer.ok()) ADD_FAILURE() << answer.result.error().message;
    return answer.ok() ? answer.result->data : Json();
  }
  // "line:column code" of every finding.
  std::vector<std::string> findings(const std::string& path, const std::string& linter) {
    std::vector<std::string> found;
    const Json data = this->data("lint_code", {{"path", path}, {"linter", linter}});
    if (data.is_null()) return found;
    for (const Json& each : data.find("diagnostics")->as_array())
      found.push_back(concat(each.find("line")->as_integer(), ":", each.find("column")->as_integer(), " ",
                             each.find("code")->as_string()));
    return found;
  }
  static bool has(const std::vector<std::string>& found, const std::string& wanted) {
    return std::ranges::find(found, wanted) != found.end();
  }
  static std::string state_of(const Error& error) {
    const Json* state = error.details.find("state");
    return state != nullptr ? state->as_string() : "";
  }
  // Installed, and not only as the shim of a rustup without a toolchain.
  static bool runs(const std::string& program) {
    return find_program(program) && std::system(concat(program, " --version >/dev/null 2>&1").c_str()) == 0;
  }
  void put_program(const std::string& name, std::string_view script) {
    put(name, script);
    ASSERT_EQ(::chmod(path(name).c_str(), 0755), 0);
  }
};

TEST_F(CheckCodeTest, FormatsPythonWithEachFormatterAndUndoTakesItBack) {
  for (const auto& [formatter, program] :
       {std::pair{"black", "black"}, {"autopep8", "autopep8"}, {"yapf", "yapf3"}}) {
    NEEDS(program);
    put("a.py", "def f( a,b ):\n  return a\n");
    const Json formatted = data("format_code", {{"path", "a.py"}, {"formatter", formatter}});
    EXPECT_EQ(get("a.py"), "def f(a, b):\n    return a\n") << formatter;
    EXPECT_EQ(formatted.find("formatter")->as_string(), formatter);
    EXPECT_TRUE(formatted.find("changed")->as_bool());
    EXPECT_THAT(formatted.find("diff")->as_string(), ::testing::HasSubstr("+def f(a, b):"));
    EXPECT_FALSE(
        data("format_code", {{"path", "a.py"}, {"formatter", formatter}}).find("changed")->as_bool());
    ASSERT_TRUE(call("undo", {}).ok());
    EXPECT_EQ(get("a.py"), "def f( a,b ):\n  return a\n") << formatter;
  }
}

TEST_F(CheckCodeTest, ADryRunChangesNothing) {
  NEEDS("black");
  put("a.py", "x  =  1\n");
  const Json tried = data("format_code", {{"path", "a.py"}, {"dryRun", true}});
  EXPECT_EQ(get("a.py"), "x  =  1\n");
  EXPECT_TRUE(tried.find("changed")->as_bool());
  EXPECT_TRUE(tried.find("dryRun")->as_bool());
}

TEST_F(CheckCodeTest, KeepsEncodingMarkAndLineEndings) {
  NEEDS("black");
  NEEDS("clang-format-19");
  put("crlf.py", "\xEF\xBB\xBFx  =  '\xC3\xA9'\r\ny=2\r\n");
  data("format_code", {{"path", "crlf.py"}, {"formatter", "black"}});
  EXPECT_EQ(get("crlf.py"), "\xEF\xBB\xBFx = \"\xC3\xA9\"\r\ny = 2\r\n");
  put("latin.py", "# -*- coding: latin-1 -*-\nname  =  'caf\xE9 cr\xE8me br\xFBl\xE9\x65'\n");
  data("format_code", {{"path", "latin.py"}, {"formatter", "black"}});
  EXPECT_EQ(get("latin.py"), "# -*- coding: latin-1 -*-\nname = \"caf\xE9 cr\xE8me br\xFBl\xE9\x65\"\n");
  put("crlf.cc", "int  f( ){return 1;}\r\n// caf\xE9 cr\xE8me br\xFBl\xE9\x65\r\n");
  data("format_code", {{"path", "crlf.cc"}});
  EXPECT_EQ(get("crlf.cc"), "int f() { return 1; }\r\n// caf\xE9 cr\xE8me br\xFBl\xE9\x65\r\n");
}

TEST_F(CheckCodeTest, UsesTheProjectsConfiguration) {
  NEEDS("black");
  NEEDS("clang-format-19");
  NEEDS("shfmt");
  put("pyproject.toml", "[tool.black]\nskip-string-normalization = true\n");
  put("src/a.py", "x  =  'a'\n");
  data("format_code", {{"path", "src/a.py"}});
  EXPECT_EQ(get("src/a.py"), "x = 'a'\n");
  put(".clang-format", "IndentWidth: 8\n");
  put("src/a.cc", "int f() {\nreturn 1;\n}\nint g();\n");
  data("format_code", {{"path", "src/a.cc"}});
  EXPECT_THAT(get("src/a.cc"), ::testing::HasSubstr("int f() { return 1; }"));
  put(".editorconfig", "root = true\n[*.sh]\nindent_style = space\nindent_size = 3\n");
  put("src/a.sh", "if true; then\necho\nfi\n");
  data("format_code", {{"path", "src/a.sh"}});
  EXPECT_EQ(get("src/a.sh"), "if true; then\n   echo\nfi\n");
}

TEST_F(CheckCodeTest, AFileThatDoesNotParseStaysAsItIs) {
  for (const auto& [formatter, program, file, text, complaint] :
       {std::tuple{"black", "black", "bad.py", "def f(:\nx  =  1\n", "Cannot parse"},
        {"autopep8", "autopep8", "bad.py", "def f(:\nx  =  1\n", "syntax error near line 1"},
        {"yapf", "yapf3", "bad.py", "def f(:\nx  =  1\n", "invalid syntax"},
        {"shfmt", "shfmt", "bad.sh", "if then\n", "must be followed by"},
        {"rustfmt", "rustfmt", "bad.rs", "fn  main({}\n", "unclosed delimiter"}}) {
    if (!runs(program)) continue;  // each of them is needed by a test of its own
    put(file, text);
    const Error failed = error("format_code", {{"path", file}, {"formatter", formatter}});
    EXPECT_EQ(state_of(failed), "did-not-run") << formatter;
    EXPECT_THAT(failed.message, ::testing::HasSubstr(complaint));
    EXPECT_EQ(get(file), text) << formatter;
  }
}

TEST_F(CheckCodeTest, LintsPythonWithBoth) {
  NEEDS("flake8");
  NEEDS("pylint");
  put("a.py", "import os\n\n\ndef f(a):\n    return '\xC3\xA9', undefined_name\n");
  const auto by_flake8 = findings("a.py", "flake8");
  EXPECT_TRUE(has(by_flake8, "1:1 F401")) << join(by_flake8, ", ");
  EXPECT_TRUE(has(by_flake8, "5:17 F821")) << join(by_flake8, ", ");
  const auto by_pylint = findings("a.py", "pylint");
  EXPECT_TRUE(has(by_pylint, "1:1 W0611 unused-import")) << join(by_pylint, ", ");
  EXPECT_TRUE(has(by_pylint, "5:17 E0602 undefined-variable")) << join(by_pylint, ", ");
}

TEST_F(CheckCodeTest, CleanIsSaidAsSuch) {
  NEEDS("flake8");
  put("ok.py", "x = 1\n");
  const Json clean = data("lint_code", {{"path", "ok.py"}, {"linter", "flake8"}});
  EXPECT_EQ(clean.find("state")->as_string(), "clean");
  EXPECT_EQ(clean.find("total")->as_integer(), 0);
  EXPECT_EQ(content("lint_code", {{"path", "ok.py"}, {"linter", "flake8"}}),
            "flake8 finds nothing to complain about.\n");
}

TEST_F(CheckCodeTest, AWrongConfigurationIsNotClean) {
  NEEDS("flake8");
  put("ok.py", "x = 1\n");
  put(".flake8", "[flake8]\nmax-line-length = wide\n");
  const Error failed = error("lint_code", {{"path", "ok.py"}});
  EXPECT_EQ(state_of(failed), "did-not-run") << failed.message;
  EXPECT_THAT(failed.message, ::testing::HasSubstr("flake8"));
}

TEST_F(CheckCodeTest, LintsShellAndOffersFixes) {
  NEEDS("shellcheck");
  put("a.sh", "#!/bin/bash\necho $1\n");
  const Json found = data("lint_code", {{"path", "a.sh"}});
  ASSERT_EQ(found.find("total")->as_integer(), 1);
  const Json& finding = found.find("diagnostics")->as_array().front();
  EXPECT_EQ(finding.find("code")->as_string(), "SC2086");
  EXPECT_EQ(finding.find("fix")->find("edits")->as_array().size(), 2U);
  EXPECT_THAT(content("lint_code", {{"path", "a.sh"}}), ::testing::HasSubstr("a.sh:2:6: information: "));
}

TEST_F(CheckCodeTest, LintsCAndCpp) {
  NEEDS("cppcheck");
  put("a.cpp", "int f() {\n  char buf[4];\n  /*\xC3\xA9*/ buf[7] = 1;\n  return buf[0];\n}\n");
  const auto found = findings("a.cpp", "cppcheck");
  EXPECT_TRUE(has(found, "3:12 arrayIndexOutOfBounds")) << join(found, ", ");
  NEEDS("clang-tidy-19");
  const auto by_tidy = findings("a.cpp", "clang-tidy");
  EXPECT_TRUE(has(by_tidy, "3:9 clang-diagnostic-array-bounds")) << join(by_tidy, ", ");
  put("b.cpp", "#include \"nothere.h\"\n");
  const Error failed = error("lint_code", {{"path", "b.cpp"}, {"linter", "clang-tidy"}});
  EXPECT_THAT(failed.hint, ::testing::HasSubstr("compile_commands.json"));
  EXPECT_EQ(state_of(failed), "did-not-run");
  put("inc/nothere.h", "");
  put("compile_commands.json", concat("[{\"directory\": \"", path(""),
                                      "\", \"file\": \"b.cpp\", \"command\": ", "\"c++ -Iinc -c b.cpp\"}]"));
  EXPECT_EQ(data("lint_code", {{"path", "b.cpp"}, {"linter", "clang-tidy"}}).find("state")->as_string(),
            "clean");
}

TEST_F(CheckCodeTest, FormatsAndLintsScriptsWithTheProjectsPrograms) {
  const std::string modules = places::in_source("tests/node/node_modules");
  if (!std::filesystem::exists(modules + "/.bin/eslint"))
    GTEST_SKIP() << "eslint is not installed; see scripts/deps";
  // The sandbox has its own /tmp and /var/tmp.
  if (modules.starts_with("/tmp/") || modules.starts_with("/var/tmp/"))
    options_.settings.sandbox.level = SandboxLevel::kOff;
  std::filesystem::create_directory_symlink(modules, path("node_modules"));
  put("a.ts", "const  a = {b:1}\n");
  data("format_code", {{"path", "a.ts"}});
  EXPECT_EQ(get("a.ts"), "const a = { b: 1 };\n");
  put("t.js", "let \xC3\xA9 = \"\xF0\x9F\x98\x80\"; var b = 2\n");
  const Error bare = error("lint_code", {{"path", "t.js"}});
  EXPECT_THAT(bare.message, ::testing::HasSubstr("no configuration"));
  put("eslint.config.mjs", "export default [{ rules: { 'no-var': 'error' } }];\n");
  const Json found = data("lint_code", {{"path", "t.js"}});
  ASSERT_EQ(found.find("total")->as_integer(), 1);
  const Json& finding = found.find("diagnostics")->as_array().front();
  EXPECT_EQ(finding.find("column")->as_integer(), 14);
  EXPECT_EQ(finding.find("fix")->find("edits")->as_array().front().find("newText")->as_string(), "let");
}

TEST_F(CheckCodeTest, ProgramsCanNeitherWriteNorReachTheNetwork) {
  put_program("node_modules/.bin/prettier",
              "#!/bin/sh\ncat >/dev/null\necho x > \"$PWD/stolen\"; echo wrote=$?\n"
              "readlink /proc/self/ns/net\n");
  put("a.css", "a{}\n");
  options_.settings.sandbox.network = true;  // for commands, not for these
  data("format_code", {{"path", "a.css"}});
  EXPECT_FALSE(exists("stolen"));
  EXPECT_THAT(get("a.css"), ::testing::Not(::testing::HasSubstr("wrote=0")));
  EXPECT_THAT(get("a.css"), ::testing::HasSubstr("net:["));
  EXPECT_THAT(
      get("a.css"),
      ::testing::Not(::testing::HasSubstr(std::filesystem::read_symlink("/proc/self/ns/net").string())));
}

// Somebody who is asked and always says the same.
class Person final : public Approver {
 public:
  explicit Person(bool agrees) : agrees_(agrees) {}
  Approval ask(const PermissionRequest& request, const std::stop_token&) override {
    asked_.push_back(request);
    return {.granted = agrees_};
  }
  bool agrees_;
  std::vector<PermissionRequest> asked_;
};

TEST_F(CheckCodeTest, CodeOfTheProjectNeedsTheLeaveThatExecNeeds) {
  put_program("node_modules/.bin/eslint", "#!/bin/sh\ncat >/dev/null\necho '[{\"messages\": []}]'\n");
  put("a.js", "let a\n");
  options_.settings.mode = Mode::kAsk;
  const auto person = std::make_shared<Person>(false);
  options_.approver = person;
  const Error refused = error("lint_code", {{"path", "a.js"}});
  EXPECT_EQ(refused.code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(state_of(refused), "did-not-run");
  ASSERT_EQ(person->asked_.size(), 1U);
  EXPECT_EQ(person->asked_[0].tool, "exec");
  EXPECT_EQ(person->asked_[0].effect, Effect::kExecute);
  EXPECT_THAT(person->asked_[0].arguments.find("command")->as_string(),
              ::testing::HasSubstr("node_modules/.bin/eslint --format"));
  EXPECT_THAT(person->asked_[0].reason, ::testing::HasSubstr("part of the project"));
  person->agrees_ = true;
  EXPECT_EQ(data("lint_code", {{"path", "a.js"}}).find("state")->as_string(), "clean");
  EXPECT_EQ(person->asked_.size(), 2U);
}

TEST_F(CheckCodeTest, ARuleForExecIsEnoughAndNobodyElseIsAsked) {
  put_program("node_modules/.bin/prettier", "#!/bin/sh\ncat\necho\n");
  put("a.css", "a{}\n");
  options_.settings.mode = Mode::kAuto;
  options_.settings.permissions.allow = {"format_code"};
  const Error refused = error("format_code", {{"path", "a.css"}});
  EXPECT_EQ(refused.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(refused.message, ::testing::HasSubstr("needs the same permission as exec"));
  // Not even as a dry run, which needs only the permission to read.
  EXPECT_EQ(error("format_code", {{"path", "a.css"}, {"dryRun", true}}).code, ErrorCode::kPermissionDenied);
  restart();
  options_.settings.permissions.allow = {"format_code", "exec(node_modules/.bin/prettier:*)"};
  data("format_code", {{"path", "a.css"}});
  EXPECT_EQ(get("a.css"), "a{}\n\n");
}

TEST_F(CheckCodeTest, ARuleAgainstExecHoldsHereToo) {
  put_program("node_modules/.bin/eslint", "#!/bin/sh\necho '[{\"messages\": []}]'\n");
  put("a.js", "let a\n");
  options_.settings.permissions.deny = {"exec(eslint:*)"};
  const Error refused = error("lint_code", {{"path", "a.js"}});
  EXPECT_EQ(refused.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(refused.message, ::testing::HasSubstr("exec(eslint:*)"));
}

TEST_F(CheckCodeTest, WhoTakesExecAwayTakesThisAwayToo) {
  put_program("node_modules/.bin/eslint", "#!/bin/sh\necho '[{\"messages\": []}]'\n");
  put("a.js", "let a\n");
  options_.settings.tools.enabled = {"*", "-exec"};
  const Error refused = error("lint_code", {{"path", "a.js"}});
  EXPECT_EQ(refused.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(refused.message, ::testing::HasSubstr("disables exec"));
  restart();
  options_.settings.tools.enabled = {"code"};
  EXPECT_EQ(data("lint_code", {{"path", "a.js"}}).find("state")->as_string(), "clean");
}

TEST_F(CheckCodeTest, AnInstalledLinterIsReadingAndAsksNobody) {
  NEEDS("shellcheck");
  put("a.sh", "#!/bin/sh\necho\n");
  options_.settings.mode = Mode::kPlan;
  EXPECT_EQ(data("lint_code", {{"path", "a.sh"}}).find("state")->as_string(), "clean");
}

TEST_F(CheckCodeTest, AProgramThatEditsTheFileMeanwhileCannot) {
  put_program("node_modules/.bin/prettier", "#!/bin/sh\necho gone > \"$2\"\ncat\n");
  put("a.css", "a{}\n");
  EXPECT_FALSE(data("format_code", {{"path", "a.css"}}).find("changed")->as_bool());
  EXPECT_EQ(get("a.css"), "a{}\n");
}

TEST_F(CheckCodeTest, WhatMayNotBeReadIsNotShownByFormattingIt) {
  NEEDS("shfmt");
  put("secret.sh", "if true; then\necho password\nfi\n");
  options_.settings.permissions.deny = {"read(./secret.sh)"};
  for (const char* tool : {"format_code", "lint_code"}) {
    const Error refused = error(tool, {{"path", "secret.sh"}, {"explanation", "x"}});
    EXPECT_EQ(refused.code, ErrorCode::kPermissionDenied) << tool;
    EXPECT_THAT(to_text(refused.details), ::testing::Not(::testing::HasSubstr("password")));
  }
}

TEST_F(CheckCodeTest, AFloodIsNotTakenForAResult) {
  put_program("node_modules/.bin/prettier", "#!/bin/sh\nhead -c 80000000 /dev/zero | tr '\\0' a\n");
  put("a.css", "a{}\n");
  const Error failed = error("format_code", {{"path", "a.css"}});
  EXPECT_THAT(failed.message, ::testing::HasSubstr("Not all that prettier printed could be kept"));
  EXPECT_EQ(state_of(failed), "did-not-run");
  EXPECT_EQ(get("a.css"), "a{}\n");
}

TEST_F(CheckCodeTest, AProgramThatHangsIsEndedWithTheCall) {
  put_program("node_modules/.bin/eslint", "#!/bin/sh\nexec sleep 1000\n");
  put("a.js", "let a\n");
  const Answer answer = runtime().call({.tool = "lint_code",
                                        .arguments = JsonObject{{"path", "a.js"}},
                                        .time_limit = std::chrono::milliseconds(300)});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kTimeout);
  const Answer left = call("process", {{"action", "list"}});
  EXPECT_THAT(left.result->content, ::testing::Not(::testing::HasSubstr("eslint")));
}

TEST_F(CheckCodeTest, AProgramThatReadsNothingIsNoTrouble) {
  put_program("node_modules/.bin/prettier", "#!/bin/sh\necho 'b {}'\n");
  put("a.css", std::string(3'000'000, ' ') + "a{}\n");
  EXPECT_TRUE(data("format_code", {{"path", "a.css"}}).find("changed")->as_bool());
  EXPECT_EQ(get("a.css"), "b {}\n");
}

TEST_F(CheckCodeTest, WhatIsNoTextOrNoFileIsRefused) {
  put("a.py", std::string_view("\0\1\2\0", 4));
  EXPECT_EQ(error("format_code", {{"path", "a.py"}}).code, ErrorCode::kInvalidArgument);
  std::filesystem::create_directory(path("d"));
  EXPECT_FALSE(call("lint_code", {{"path", "d"}}).ok());
  EXPECT_EQ(error("lint_code", {{"path", "missing.py"}}).code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace helve::tools
