// Gives a saved piece of code back.
#include "base/strings.h"
#include "core/engines.h"
#include "core/snippet_report.h"
#include "helve/tool.h"

namespace helve::tools {

struct SnippetLoad {
  static constexpr std::string_view kDescription =
      "Give back a piece of code that was saved with snippet_save, by its name or id.\n"
      "Use snippet_list to look for one.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData = "{id: string, name: string, code: string, language: string}";
  static constexpr std::string_view kGroup = "snippets";

  struct Params {
    std::string name;
    std::string id;

    void describe(ParamSpec& p) {
      p.optional("name", name, "Its name, or its id; one of name and id is needed.");
      p.optional("id", id, "Its id, instead of the name.");
    }
  };

  std::vector<Resource> resources(const Params&) const { return snippet_resources(Resource::Use::kShared); }

  Result execute(Context& context, const Params& params) const {
    if (params.name.empty() == params.id.empty())
      return fail(invalid_arguments(
          "snippet_load", {{"name", params.name.empty() ? "is missing; it is required unless id is given"
                                                        : "and id are both given; one is enough"}}));
    const auto opened = context.engines().store.open();
    if (!opened) return fail(opened.error());
    const auto snippet = (*opened)->snippets().load(params.name.empty() ? params.id : params.name);
    if (!snippet) return fail(snippet.error());
    Json data = to_json(*snippet);
    const auto lines = static_cast<std::size_t>(data["lines"].as_integer());
    std::string summary = concat(snippet->name, " (", describe_code(snippet->language, lines), ")");
    if (!snippet->description.empty())
      summary += concat(": ", snippet->description.substr(0, snippet->description.find('\n')));
    return Output{.summary = std::move(summary), .content = snippet->code, .data = std::move(data)};
  }
};

}  // namespace helve::tools
