#include "cli/help/completion.h"

#include <gtest/gtest.h>

namespace helve::cli {
namespace {

enum class Order { kPath, kNewest };
constexpr auto enum_names(Order) { return std::to_array<std::string_view>({"path", "newest"}); }

struct Find {
  static constexpr std::string_view kDescription = "Find files.";
  static constexpr Effect kEffect = Effect::kRead;
  struct Params {
    std::string pattern;
    Order order = Order::kPath;
    std::string path = ".";
    void describe(ParamSpec& p) {
      p.required("pattern", pattern, "Glob.");
      p.optional("order", order, "Order.");
      p.optional("path", path, "Where.");
    }
  };
  Result execute(Context&, const Params&) const { return Output{}; }
};

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() { EXPECT_TRUE(registry_.add(make_tool<Find>())); }
  std::string after(std::vector<std::string> words) {
    const auto settings = [] {
      return std::vector<Suggestion>{{"mode", "Mode."}, {"results.limit", "Most."}};
    };
    const auto snippets = [] { return std::vector<Suggestion>{{"retry", "Again."}, {"my way", ""}}; };
    const Suggestions found =
        complete(all_commands(), registry_, words, {.settings = settings, .snippets = snippets});
    std::string text;
    for (const Suggestion& entry : found.entries) text += entry.text + " ";
    return text + (found.files ? "(files)" : "");
  }
  Registry registry_;
};

TEST_F(CompletionTest, KnowsCommandsAndTools) {
  EXPECT_EQ(after({"to"}), "tools ");
  EXPECT_EQ(after({"fi"}), "find ");
  EXPECT_EQ(after({"call", ""}), "find ");
  EXPECT_EQ(after({"tools", "f"}), "find ");
  EXPECT_EQ(after({"--workspace", "/tmp", "fi"}), "find ");
}

TEST_F(CompletionTest, KnowsParametersAndTheirValues) {
  EXPECT_EQ(after({"find", "--o"}), "--order ");
  EXPECT_EQ(after({"find", "--order", ""}), "path newest ");
  EXPECT_EQ(after({"find", "--order", "n"}), "newest ");
  EXPECT_EQ(after({"find", ""}), "(files)");
  EXPECT_EQ(after({"find", "x", ""}), "(files)");  // the path; the order needs its flag
  EXPECT_EQ(after({"find", "x", "y", ""}), "");
  EXPECT_EQ(after({"prompt", "--format", "o"}), "openai ");
  EXPECT_EQ(after({"find", "--mod"}), "--mode ");
  EXPECT_EQ(after({"--mode", "pl"}), "plan ");
  EXPECT_EQ(after({"config", "t"}), "trust ");
}

TEST_F(CompletionTest, AListTakesAllThatFollow) {
  EXPECT_EQ(after({"init", "c"}), "claude codex cursor ");
  EXPECT_EQ(after({"init", "claude", "co"}), "codex ");
  EXPECT_EQ(after({"find", "x", "path", ""}), "");
  EXPECT_EQ(after({"man", "x", ""}), "");
}

TEST_F(CompletionTest, ManKnowsItsPages) {
  EXPECT_EQ(after({"man", "to"}), "tools ");
  EXPECT_EQ(after({"man", "fi"}), "find ");
  EXPECT_EQ(after({"help", "doc"}), "doctor ");
}

TEST_F(CompletionTest, KnowsSettingsAndSnippets) {
  EXPECT_EQ(after({"find", "--set", "re"}), "results.limit= ");
  EXPECT_EQ(after({"--set", ""}), "mode= results.limit= ");
  EXPECT_EQ(after({"config", "get", "m"}), "mode ");
  EXPECT_EQ(after({"config", "trust", "m"}), "");
  EXPECT_EQ(after({"snippets", "show", ""}), "retry my way ");
  EXPECT_EQ(after({"snippets", "delete", "retry", "my"}), "my way ");
  EXPECT_EQ(after({"snippets", "import", ""}), "(files)");
}

TEST_F(CompletionTest, SaysNothingAboutWhatItDoesNotKnow) { EXPECT_EQ(after({"nonsense", ""}), ""); }

}  // namespace
}  // namespace helve::cli
