// Deletes a saved snippet.
#include "base/strings.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/snippet_report.h"

namespace helve::tools {

struct SnippetDelete {
  static constexpr std::string_view kDescription =
      "Delete a saved snippet.\n"
      "The result contains the snippet, so that you can save it again.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData = "{id: string, name: string, code: string}";
  static constexpr std::string_view kGroup = "snippets";
  static constexpr bool kDryRuns = true;
  static constexpr bool kIdempotent = true;

  struct Params {
    std::string name;

    void describe(ParamSpec& p) { p.required("name", name, "Name or id.", {.min_length = 1}); }
  };

  std::vector<Resource> resources(const Params&) const {
    return toolkit::snippet_resources(Resource::Use::kExclusive);
  }

  Result execute(Context& context, const Params& params) const {
    const auto opened = context.engines().store.open();
    if (!opened) return fail(opened.error());
    store::Snippets& snippets = (*opened)->snippets();
    const auto removed = context.dry_run() ? snippets.load(params.name) : snippets.remove(params.name);
    if (!removed) return fail(removed.error());
    Json data = toolkit::to_json(*removed);
    data["dryRun"] = context.dry_run();
    Output output{.summary = concat(context.dry_run() ? "Dry run: " : "", removed->name, " removed"),
                  .data = std::move(data)};
    if (!context.dry_run()) return output;
    const patch::ChangeReport report = toolkit::change_of_snippet(*removed, {});
    output.data["diff"] = report.diff;
    output.data["notes"] = toolkit::notes_on_snippet(*removed, {});
    output.diff_is_whole = report.is_whole;
    return output;
  }
};

}  // namespace helve::tools
