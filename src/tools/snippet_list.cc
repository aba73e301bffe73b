// Lists saved snippets.
#include "base/strings.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/snippet_report.h"

namespace helve::tools {

struct SnippetList {
  static constexpr std::string_view kDescription =
      "List saved snippets, newest first.\n"
      "query matches words in name, description, tags and code: \"parse json\" also finds parseJson.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData = "{count: integer, snippets: [{id: string, name: string}]}";
  static constexpr std::string_view kGroup = "snippets";

  struct Params {
    std::vector<std::string> tags;
    std::string language;
    std::string query;

    void describe(ParamSpec& p) {
      p.optional("tags", tags, "All of these tags.", {.max_length = 50});
      p.optional("language", language, "Language.");
      p.optional("query", query, "All of these words.", {.max_length = 1000});
    }
  };

  std::vector<Resource> resources(const Params&) const {
    return toolkit::snippet_resources(Resource::Use::kShared);
  }

  Result execute(Context& context, const Params& params) const {
    constexpr std::size_t kMost = 100;
    const auto opened = context.engines().store.open();
    if (!opened) return fail(opened.error());
    store::SnippetFilter filter{.tags = params.tags, .query = params.query, .most = kMost};
    if (!trim(params.language).empty()) filter.languages = toolkit::language_names(params.language);
    const auto list = (*opened)->snippets().list(filter);
    if (!list) return fail(list.error());
    std::string content;
    JsonArray entries;
    for (const store::SnippetEntry& entry : list->snippets) {
      content += concat(toolkit::describe_entry(entry), "\n");
      entries.push_back(toolkit::to_json(entry));
    }
    const bool truncated = list->total > list->snippets.size();
    if (truncated)
      content += concat("… and ", list->total - list->snippets.size(),
                        " older; narrow it with query, tags or language.\n");
    return Output{
        .summary = concat(count_of(list->total, "snippet"), truncated ? concat(", the newest ", kMost) : ""),
        .content = std::move(content),
        .data = JsonObject{{"count", list->total}, {"snippets", std::move(entries)}},
        .truncated = truncated};
  }
};

}  // namespace helve::tools
