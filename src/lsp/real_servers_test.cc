// Tests the client with real language servers, each with the same small project in its language.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <set>

#include "base/find_program.h"
#include "base/utf8.h"
#include "lsp/testing.h"
#include "unit/places.h"

namespace helve::lsp {
namespace {

using std::chrono::milliseconds;

struct RealServer {
  std::string name;
  std::string command;
  std::vector<std::string> args;
  std::string extension;  // of the two files
  std::string marker;     // file and its text, for the project's root
  std::string marker_text;
  std::string library;      // defines Greeter with greet, and helper
  std::string program;      // uses them; line 2 has helper after an emoji and a Han character
  std::string broken;       // the program with one more error
  std::string renamed;      // the library's first line with helper after the rename
  std::string header = {};  // for languages with header files
};

void PrintTo(const RealServer& server, std::ostream* out) { *out << server.name; }

std::string modules() { return places::in_source("tests/node/node_modules/"); }

RealServer typescript(std::string name, std::string command, std::vector<std::string> args) {
  return {.name = std::move(name),
          .command = std::move(command),
          .args = std::move(args),
          .extension = ".ts",
          .marker = "tsconfig.json",
          .marker_text = R"({"compilerOptions": {"strict": true, "target": "es2022", "module": "esnext"}})",
          .library =
              "export class Greeter {\n  greet(name: string): string { return name; }\n}\n"
              "/** Adds one. */\nexport function helper(value: number): number { return value + 1; }\n",
          .program =
              "import { Greeter, helper } from \"./library\";\n"
              "const 名 = \"🎉🎉\"; console.log(名, helper(2));\n"
              "console.log(new Greeter().greet(\"me\"));\n",
          .broken =
              "import { Greeter, helper } from \"./library\";\n"
              "const wrong: string = helper(2);\n"
              "console.log(new Greeter().greet(\"me\"), wrong);\n",
          .renamed = "export function assist("};
}

std::vector<RealServer> real_servers() {
  std::vector<RealServer> all;
  all.push_back({.name = "pyright",
                 .command = modules() + "pyright/langserver.index.js",
                 .args = {"--stdio"},
                 .extension = ".py",
                 .marker = "pyproject.toml",
                 .marker_text = "",
                 .library =
                     "class Greeter:\n    def greet(self, name: str) -> str:\n        return name\n\n"
                     "def helper(value: int) -> int:\n    \"\"\"Adds one.\"\"\"\n    return value + 1\n",
                 .program = "from library import Greeter, helper\n"
                            "名 = \"🎉🎉\"; print(名, helper(2))\n"
                            "print(Greeter().greet(\"me\"))\n",
                 .broken = "from library import Greeter, helper\n"
                           "wrong: str = helper(2)\n"
                           "print(Greeter().greet(\"me\"), wrong)\n",
                 .renamed = "def assist("});
  all.push_back(typescript("typescript_language_server", modules() + "typescript-language-server/lib/cli.mjs",
                           {"--stdio"}));
  all.push_back(typescript("typescript_7", modules() + "@typescript/typescript-linux-x64/lib/tsc",
                           {"--lsp", "--stdio"}));
  all.push_back(
      {.name = "clangd",
       .command = "/usr/bin/clangd-19",
       .args = {"--background-index", "--log=error"},
       .extension = ".cc",
       .marker = "compile_flags.txt",
       .marker_text = "-std=c++17\n",
       .library = "#include \"library.h\"\nint Greeter::greet(int name) { return name; }\n"
                  "int helper(int value) { return value + 1; }\n",
       .program = "#include \"library.h\"\n"
                  "const char* 名 = \"🎉🎉\"; int two = helper(2);\n"
                  "int main() { return Greeter().greet(two); }\n",
       .broken = "#include \"library.h\"\n"
                 "const char* wrong = helper(2);\n"
                 "int main() { return Greeter().greet(1); }\n",
       .renamed = "int assist(",
       .header = "struct Greeter {\n  int greet(int name);\n};\n/// Adds one.\nint helper(int value);\n"});
  return all;
}

class RealServerTest : public LspTest, public testing::WithParamInterface<RealServer> {
 protected:
  void SetUp() override {
    const RealServer& server = GetParam();
    ASSERT_EQ(::access(server.command.c_str(), R_OK), 0)
        << server.command << " is missing; run scripts/deps test";
    // The built-in entry with another program.
    const std::string name = server.name == "typescript_7"                 ? "typescript"
                             : server.name == "typescript_language_server" ? "typescript-language-server"
                                                                           : server.name;
    const bool script = server.command.ends_with("js");
    LanguageServerSettings& entry = settings_.servers[name];
    entry.command = script ? node() : server.command;
    entry.args = server.args;
    if (script) entry.args->insert(entry.args->begin(), server.command);
    if (name == "typescript-language-server") settings_.servers["typescript"].enabled = false;
    library_ = "library" + server.extension;
    program_ = "program" + server.extension;
    write(server.marker, server.marker_text);
    write(library_, server.library);
    write(program_, server.program);
    if (!server.header.empty()) write("library.h", server.header);
  }
  static std::string node() { return find_program("node").value_or("node"); }

  std::vector<std::string> errors_of(const std::string& name) {
    const auto found = questions().diagnostics(name, in_time());
    if (!found) return {concat("failed: ", found.error().message)};
    std::vector<std::string> errors;
    for (const auto& [spot, diagnostic] : found->diagnostics)
      if (diagnostic.severity == Diagnostic::Severity::kError)
        errors.push_back(concat(spot.range.start.line + 1, ": ", diagnostic.message));
    return errors;
  }
  // Files and lines, in order.
  static std::vector<std::string> lines_of(const FoundPlaces& found) {
    std::vector<std::string> lines;
    for (const Spot& spot : found.spots) lines.push_back(concat(spot.path, ":", spot.range.start.line + 1));
    std::ranges::sort(lines);
    return lines;
  }

  std::string library_;
  std::string program_;
};

TEST_P(RealServerTest, KnowsTheProjectAndRenamesInIt) {
  const RealServer& server = GetParam();
  // By the position of helper on line 2, after characters of every width.
  const std::string line(split(server.program, '\n')[1]);
  const Position position{1, column_of_byte(line, line.find("helper"), ColumnUnit::kUtf16)};
  const auto definition = questions().definition({.path = program_, .position = position}, in_time());
  ASSERT_TRUE(definition) << definition.error().message;
  ASSERT_FALSE(definition->spots.empty());
  EXPECT_TRUE(definition->spots.front().path.starts_with("library")) << definition->spots.front().path;
  EXPECT_THAT(definition->spots.front().text, ::testing::HasSubstr("helper"));

  const auto references = questions().references({.path = library_, .symbol = "helper"}, in_time());
  ASSERT_TRUE(references) << references.error().message;
  const auto in_program = std::ranges::find_if(references->spots, [&](const Spot& spot) {
    return spot.path == program_ && spot.range.start.line == 1;
  });
  ASSERT_NE(in_program, references->spots.end()) << to_text(Json(join(lines_of(*references), " ")));
  EXPECT_EQ(in_program->range.start, position);
  EXPECT_EQ(in_program->column, count_characters(line.substr(0, line.find("helper"))) + 1);

  const auto method = questions().definition({.path = program_, .symbol = "Greeter/greet"}, in_time());
  ASSERT_TRUE(method) << method.error().message;
  ASSERT_FALSE(method->spots.empty());
  EXPECT_THAT(method->spots.front().text, ::testing::HasSubstr("greet("));

  const auto hover = questions().hover({.path = program_, .position = position}, in_time());
  ASSERT_TRUE(hover) << hover.error().message;
  EXPECT_THAT(hover->text, ::testing::HasSubstr("Adds one."));

  const auto symbols = questions().symbols("", library_, in_time());
  ASSERT_TRUE(symbols) << symbols.error().message;
  EXPECT_TRUE(std::ranges::any_of(symbols->symbols, [](const FoundSymbol& each) {
    return names_symbol(each.symbol, {"Greeter", "greet"}) && each.symbol.kind == "method";
  }));

  const auto planned = questions().rename({.path = program_, .symbol = "helper"}, "assist",
                                          Questions::AtUnconfirmed::kRefuse, in_time());
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_EQ(planned->old_name, "helper");
  std::string all;
  for (const FileEdits& file : planned->files) {
    const std::string text = directory_.read("workspace/" + file.path.substr(path("").size()));
    all += apply_edits(text, file.edits, planned->unit).value_or("does not fit");
  }
  EXPECT_THAT(all, ::testing::HasSubstr(GetParam().renamed));
  EXPECT_THAT(all, ::testing::HasSubstr(" assist(2)"));
  EXPECT_THAT(all, ::testing::Not(::testing::HasSubstr("helper(")));
}

TEST_P(RealServerTest, KnowsUsesInClosedAndNewFiles) {
  const RealServer& server = GetParam();
  const auto files_of_rename = [&] {
    std::set<std::string> files;
    const auto planned = questions().rename({.path = library_, .symbol = "helper"}, "assist",
                                            Questions::AtUnconfirmed::kRefuse, in_time());
    if (!planned) return std::set<std::string>{planned.error().message};
    for (const FileEdits& file : planned->files) files.insert(file.path.substr(path("").size()));
    return files;
  };
  // The first question to the server.
  std::set<std::string> expected{library_, program_};
  if (!server.header.empty()) expected.insert("library.h");
  EXPECT_EQ(files_of_rename(), expected);
  const std::string more = "more" + server.extension;
  write(more, replace_all(server.program, "int main", "int other"));
  if (!server.header.empty()) write(more, "#include \"library.h\"\nint more() { return helper(3); }\n");
  expected.insert(more);
  EXPECT_EQ(files_of_rename(), expected);
  const auto references = questions().references({.path = library_, .symbol = "helper"}, in_time());
  ASSERT_TRUE(references) << references.error().message;
  EXPECT_TRUE(references->is_whole()) << to_text(Json(join(lines_of(*references), " ")));
  EXPECT_THAT(lines_of(*references), ::testing::Contains(more + ":2"));
}

TEST_P(RealServerTest, StaysAtTheDefinition) {
  if (GetParam().header.empty()) return;
  const std::vector<std::string_view> lines = split(GetParam().library, '\n');
  const auto defined = static_cast<std::size_t>(
      std::ranges::find_if(lines, [](std::string_view line) { return line.starts_with("int helper("); }) -
      lines.begin());
  const SymbolPlace place{
      .path = path(library_), .position = {defined, 4}, .name = "helper", .has_body = true};
  Questions questions({.servers = servers(),
                       .logger = logger_,
                       .engine = engine_,
                       .symbol_finder = [&](Server&) -> SymbolFinder {
                         return [&](const std::string&, const std::string&,
                                    const WaitLimit&) -> Expected<std::vector<SymbolPlace>> {
                           return std::vector<SymbolPlace>{place};
                         };
                       }});
  const auto found = questions.definition({.path = program_, .symbol = "helper"}, in_time());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(lines_of(*found), std::vector<std::string>{concat(library_, ":", defined + 1)});
}

TEST_P(RealServerTest, SeesChangesOnDisk) {
  const RealServer& server = GetParam();
  EXPECT_EQ(errors_of(program_), std::vector<std::string>());
  write(program_, server.broken);
  const auto errors = errors_of(program_);
  ASSERT_EQ(errors.size(), 1U) << join(errors, "\n");
  EXPECT_TRUE(errors[0].starts_with("2: ")) << errors[0];
  write(program_, server.program);
  EXPECT_EQ(errors_of(program_), std::vector<std::string>());
  // The changed file may not be open; it no longer defines the name that the program uses.
  const std::string other = server.header.empty() ? library_ : "library.h";
  const std::string text = server.header.empty() ? server.library : server.header;
  write(other, replace_all(text, "helper", "gone"));
  EXPECT_FALSE(errors_of(program_).empty());
  write(other, text);
  EXPECT_EQ(errors_of(program_), std::vector<std::string>());
}

TEST_P(RealServerTest, ReplacesAKilledServer) {
  if (GetParam().name == "pyright") return;  // slow to start, and has no child process
  const Target target{.path = program_, .symbol = "helper"};
  ASSERT_TRUE(questions().definition(target, in_time()));
  const auto before = servers().server_for(path(program_), in_time());
  ASSERT_TRUE(before);
  std::vector<process::ProcStat> processes;
  for (const process::ProcStat& each : process::find_descendants(::getpid(), process::Search::kThorough))
    if (each.name != "helve-launcher") processes.push_back(each);
  ASSERT_FALSE(processes.empty());
  ::kill(processes.back().pid, SIGKILL);  // its compiler process, if it has one
  const auto found = questions().definition(target, in_time());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->spots.empty());
}

INSTANTIATE_TEST_SUITE_P(, RealServerTest, testing::ValuesIn(real_servers()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace helve::lsp
