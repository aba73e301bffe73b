// Tests every language with the samples in tests/code/golden and the expected symbols beside them. With
// HELVE_UPDATE_GOLDEN set, the expectations are written instead of checked; review them afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "code/extract_testing.h"
#include "code/grammar.h"
#include "code/grammar_table.h"
#include "code/source_text.h"
#include "unit/places.h"

namespace helve::code {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Golden, EverySampleHasTheExpectedDefinitions) {
  std::size_t samples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(places::in_source("tests/code/golden"))) {
    if (entry.path().extension() == ".txt") continue;
    ++samples;
    const SourceText source = read_source(entry.path().string(), read(entry.path()));
    ASSERT_EQ(source.skipped, "") << entry.path();
    const std::string found = describe(extract(source.text, source.language, Depth::kDetails, {}));
    const std::string expected_path = entry.path().string() + ".txt";
    if (std::getenv("HELVE_UPDATE_GOLDEN") != nullptr)
      std::ofstream(expected_path, std::ios::binary) << found;
    else
      EXPECT_EQ(found, read(expected_path)) << entry.path();
  }
  EXPECT_GE(samples, 14U);
}

// The index must find the same names as the analysis.
TEST(Golden, NamesMatchThoseWithDetails) {
  for (const auto& entry : std::filesystem::directory_iterator(places::in_source("tests/code/golden"))) {
    if (entry.path().extension() == ".txt") continue;
    const SourceText source = read_source(entry.path().string(), read(entry.path()));
    const FileAnalysis names = extract(source.text, source.language, Depth::kNames, {});
    const FileAnalysis details = extract(source.text, source.language, Depth::kDetails, {});
    std::vector<std::string> fewer;
    std::vector<std::string> more;
    for (const Symbol& symbol : names.symbols) fewer.push_back(concat(symbol.name, ":", symbol.line));
    for (const Symbol& symbol : details.symbols) more.push_back(concat(symbol.name, ":", symbol.line));
    for (const std::string& name : fewer) EXPECT_NE(std::ranges::find(more, name), more.end()) << name;
    if (source.language != "python") {
      EXPECT_EQ(fewer, more) << entry.path();
    }
  }
}

TEST(Grammar, EveryQueryCompiles) {
  for (const GrammarRow& row : grammar_table())
    for (const Patterns patterns : {Patterns::kDefinitions, Patterns::kAll}) {
      std::string problem;
      EXPECT_TRUE(compile_query(row.function(), select_patterns(row.query, patterns), problem))
          << row.languages << ": " << problem;
    }
}

TEST(Grammar, AQueryWithAnErrorReportsThePlace) {
  std::string problem;
  const TSLanguage* python = Grammar::find("python")->language();
  EXPECT_FALSE(compile_query(python, "(no_such_node) @function", problem));
  EXPECT_THAT(problem, ::testing::HasSubstr("no_such_node"));
  EXPECT_FALSE(compile_query(python, "(module) @functoin", problem));
  EXPECT_EQ(problem, "unknown capture: @functoin");
}

TEST(Grammar, HasThirteenLanguages) {
  for (const std::string_view language : {"python", "javascript", "typescript", "typescriptreact", "c", "cpp",
                                          "rust", "go", "java", "csharp", "ruby", "php", "shellscript"})
    EXPECT_NE(Grammar::find(language), nullptr) << language;
  EXPECT_EQ(Grammar::find("cobol"), nullptr);
}

}  // namespace
}  // namespace helve::code
