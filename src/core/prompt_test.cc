#include "helve/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_parse.h"

namespace helve::core {
namespace {

struct Options {
  std::string pattern;
  int max_results = 100;
  void describe(ParamSpec& p) {
    p.required("pattern", pattern, "Regular expression; <a> & \"b\".");
    p.optional("maxResults", max_results, "Most matches.", {.min = 1});
  }
};

struct Grep {
  static constexpr std::string_view kDescription = "Find text.\nUse \\b for words.";
  static constexpr Effect kEffect = Effect::kRead;
  using Params = Options;
  Result execute(Context&, const Params&) const { return Output{}; }
};

struct Read {
  static constexpr std::string_view kDescription = "Read a file.";
  static constexpr Effect kEffect = Effect::kRead;
  using Params = Options;
  Result execute(Context&, const Params&) const { return Output{}; }
};

TEST(Prompt, WritesAToolAsXml) {
  EXPECT_EQ(tool_to_xml(make_tool<Grep>()->definition()),
            "<tool name=\"grep\" effect=\"read\">\n"
            "  <description>Find text.\nUse \\b for words.</description>\n"
            "  <parameter name=\"pattern\" type=\"string\" required=\"true\">Regular expression; &lt;a&gt; "
            "&amp; &quot;b&quot;.</parameter>\n"
            "  <parameter name=\"maxResults\" type=\"integer\" default=\"100\" min=\"1\">Most "
            "matches.</parameter>\n"
            "</tool>");
}

TEST(Prompt, WritesFunctionsForBothApis) {
  const ToolDefinition definition = make_tool<Grep>()->definition();
  EXPECT_EQ(to_text(*tool_to_openai(definition).find("function")->find("parameters")),
            to_text(definition.input_schema()));
  EXPECT_EQ(tool_to_openai(definition).find("type")->as_string(), "function");
  EXPECT_EQ(to_text(*tool_to_anthropic(definition).find("input_schema")), to_text(definition.input_schema()));
}

TEST(Prompt, NamesOnlyWhatIsThereAndWhatIsNot) {
  Registry registry;
  ASSERT_TRUE(registry.add(make_tool<Grep>()));
  const std::string prompt = ToolPromptGenerator(registry).generate(ToolPromptGenerator::Format::kXml);
  EXPECT_THAT(prompt, ::testing::HasSubstr("Find text in files → grep"));
  EXPECT_THAT(prompt, ::testing::Not(::testing::HasSubstr("→ read")));
  EXPECT_THAT(prompt,
              ::testing::HasSubstr("Not available here: creating or changing files, running commands"));
  EXPECT_THAT(prompt, ::testing::HasSubstr("\"hint\""));
}

TEST(Prompt, ShowsAnUnknownToolAndTheOrderOfWork) {
  Registry registry;
  ASSERT_TRUE(registry.add(make_tool<Grep>()) && registry.add(make_tool<Read>()));
  const ToolPromptGenerator generator(registry);
  for (const auto format : {ToolPromptGenerator::Format::kXml, ToolPromptGenerator::Format::kJson}) {
    const std::string prompt = generator.generate(format);
    EXPECT_THAT(prompt, ::testing::HasSubstr("Order of work: grep → read\n"));
    EXPECT_THAT(prompt, ::testing::HasSubstr(R"("message": "Unknown Agent tool: read_file")"));
  }
  EXPECT_THAT(generator.instructions(), ::testing::HasSubstr("Order of work: grep → read."));
  EXPECT_THAT(generator.instructions(), ::testing::HasSubstr("Find text in files → grep; See a file"));
  EXPECT_THAT(generator.instructions(), ::testing::HasSubstr("Unknown Agent tool: read_file"));
  EXPECT_THAT(generator.instructions(), ::testing::Not(::testing::HasSubstr("use_browser")));
}

TEST(Prompt, SettingsChangeTheGuide) {
  Registry registry;
  ASSERT_TRUE(registry.add(make_tool<Grep>()) && registry.add(make_tool<Read>()));
  GuideSettings changes;
  changes.intents = {{"Find text in files", "grep, with few results"}, {"See a file or part of it", ""}};
  changes.fallbacks = {{"grep", {"read"}}};
  const std::string guide = ToolPromptGenerator(registry, changes).guide();
  EXPECT_THAT(guide, ::testing::HasSubstr("- Find text in files → grep, with few results\n"));
  EXPECT_THAT(guide, ::testing::Not(::testing::HasSubstr("See a file")));
  EXPECT_THAT(guide, ::testing::HasSubstr("If a tool fails, try:\n- grep → read\n"));
}

TEST(Prompt, IsTheSameWhateverTheOrderOfRegistration) {
  Registry one;
  Registry other;
  ASSERT_TRUE(one.add(make_tool<Grep>()) && one.add(make_tool<Read>()));
  ASSERT_TRUE(other.add(make_tool<Read>()) && other.add(make_tool<Grep>()));
  using Format = ToolPromptGenerator::Format;
  for (const Format format : {Format::kXml, Format::kJson, Format::kOpenai, Format::kAnthropic})
    EXPECT_EQ(ToolPromptGenerator(one).generate(format), ToolPromptGenerator(other).generate(format));
  EXPECT_EQ(parse_json(ToolPromptGenerator(one).generate(Format::kOpenai))->as_array().size(), 2U);
}

}  // namespace
}  // namespace helve::core
