// Loads a saved snippet.
#include "base/strings.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/snippet_report.h"

namespace helve::tools {

struct SnippetLoad {
  static constexpr std::string_view kDescription =
      "Load a saved snippet by name or id.\n"
      "To search for one use snippet_list.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData = "{id: string, name: string, code: string, language: string}";
  static constexpr std::string_view kGroup = "snippets";

  struct Params {
    std::string name;
    std::string id;

    void describe(ParamSpec& p) {
      p.optional("name", name, "Name or id. Give either name or id.");
      p.optional("id", id, "Id.");
    }
  };

  std::vector<Resource> resources(const Params&) const {
    return toolkit::snippet_resources(Resource::Use::kShared);
  }

  Result execute(Context& context, const Params& params) const {
    if (params.name.empty() == params.id.empty())
      return fail(invalid_arguments(
          "snippet_load", {{"name", params.name.empty() ? "is missing; it is required unless id is given"
                                                        : "and id are both given; one is enough"}}));
    const auto opened = context.engines().store.open();
    if (!opened) return fail(opened.error());
    const auto snippet = (*opened)->snippets().load(params.name.empty() ? params.id : params.name);
    if (!snippet) return fail(snippet.error());
    Json data = toolkit::to_json(*snippet);
    const auto lines = static_cast<std::size_t>(data["lines"].as_integer());
    std::string summary = concat(snippet->name, " (", toolkit::describe_code(snippet->language, lines), ")");
    if (!snippet->description.empty())
      summary += concat(": ", snippet->description.substr(0, snippet->description.find('\n')));
    return Output{.summary = std::move(summary), .content = snippet->code, .data = std::move(data)};
  }
};

}  // namespace helve::tools
