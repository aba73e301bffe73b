// Embeds Helve: declares a tool, registers it, prints its schema and calls it.
#include <helve/runtime.h>

#include <iostream>
#include <sstream>

struct WordCount {
  static constexpr std::string_view kDescription = "Count the words of a text.";
  static constexpr helve::Effect kEffect = helve::Effect::kRead;

  struct Params {
    std::string text;
    int least_length = 1;

    void describe(helve::ParamSpec& p) {
      p.required("text", text, "The text to count in.");
      p.optional("leastLength", least_length, "Shorter words do not count.", {.min = 1});
    }
  };

  helve::Result execute(helve::Context&, const Params& params) const {
    std::istringstream words(params.text);
    int count = 0;
    for (std::string word; words >> word;)
      count += word.size() >= static_cast<std::size_t>(params.least_length);
    return helve::Output{.summary = std::to_string(count) + " words",
                         .data = helve::JsonObject{{"words", count}}};
  }
};

int main() {
  auto runtime = helve::Runtime::create({.workspace = "."});
  if (!runtime || !(*runtime)->add(helve::make_tool<WordCount>())) return 1;

  const auto tool = (*runtime)->tools().find("word_count");
  std::cout << helve::to_pretty_text((*tool)->definition.input_schema()) << "\n";

  const helve::Json good = helve::JsonObject{{"text", "a handle is what is held"}, {"leastLength", 3}};
  std::cout << helve::to_text((*runtime)->call({.tool = "word_count", .arguments = good}).to_json()) << "\n";
  const helve::Json bad = helve::JsonObject{{"txt", "?"}};
  std::cout << (*runtime)->call({.tool = "word_count", .arguments = bad}).result.error().message << "\n";
}
