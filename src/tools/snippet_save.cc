// Saves a snippet under a name.
#include "base/strings.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/snippet_report.h"

namespace helve::tools {

struct SnippetSave {
  static constexpr std::string_view kDescription =
      "Save a piece of code under a name, for later and for other projects.\n"
      "Replaces a snippet of the same name.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData = "{id?: string, name: string, replaced: boolean}";
  static constexpr std::string_view kGroup = "snippets";
  static constexpr bool kDryRuns = true;
  static constexpr bool kIdempotent = true;
  static constexpr auto kUnrecorded = std::to_array<std::string_view>({"code"});

  struct Params {
    std::string name;
    std::string code;
    std::string description;
    std::string language;
    std::vector<std::string> tags;

    void describe(ParamSpec& p) {
      p.required("name", name, "Name: any text on one line.",
                 {.min_length = 1, .max_length = store::kMaxSnippetName});
      p.required("code", code, "The code.", {.min_length = 1, .whole_text = true});
      p.optional("description", description, "Purpose and use.", {.max_length = 10'000});
      p.optional("language", language, "Language; detected if missing.", {.max_length = 100});
      p.optional("tags", tags, "Words to find it by.", {.max_length = 50});
    }
  };

  std::vector<Resource> resources(const Params&) const {
    return toolkit::snippet_resources(Resource::Use::kExclusive);
  }

  Result execute(Context& context, const Params& params) const {
    const auto opened = context.engines().store.open();
    if (!opened) return fail(opened.error());
    store::Snippets& snippets = (*opened)->snippets();
    store::SnippetDraft draft{params.name, params.code, params.description, params.language, params.tags};
    if (trim(draft.language).empty()) draft.language = toolkit::guess_language(draft.name, draft.code);
    auto saved = context.dry_run() ? snippets.preview(draft) : snippets.save(draft);
    if (!saved) return fail(std::move(saved).error());

    const store::Snippet& snippet = saved->snippet;
    Json data = toolkit::to_json(snippet);
    const std::size_t lines = static_cast<std::size_t>(data["lines"].as_integer());
    data.as_object().erase("code");  // the caller knows it
    // A dry run has no id yet.
    if (context.dry_run() && !saved->before) data.as_object().erase("id");
    data["replaced"] = saved->before.has_value();
    data["dryRun"] = context.dry_run();
    const patch::ChangeReport report = context.dry_run() ? preview(*saved, data) : patch::ChangeReport();
    return Output{.summary = concat(context.dry_run() ? "Dry run: " : "", snippet.name,
                                    saved->before ? " replaced" : " saved", " (",
                                    toolkit::describe_code(snippet.language, lines), ")"),
                  .content = concat(saved->before ? replaces(*saved->before) : "", report.diff),
                  .data = std::move(data),
                  .diff_is_whole = report.is_whole};
  }

 private:
  static std::string replaces(const store::Snippet& before) {
    return concat("Replaces the one of ", before.updated, " (", count_of(before.code.size(), "byte"), ").\n");
  }

  // Adds what would change to the data.
  static patch::ChangeReport preview(const store::SavedSnippet& saved, Json& data) {
    const store::Snippet& after = saved.snippet;
    const store::Snippet before = saved.before.value_or(store::Snippet());
    const patch::ChangeReport report = toolkit::change_of_snippet(before, after);
    JsonArray notes;
    if (saved.before) notes.emplace_back(trim(replaces(before)));
    for (Json& note : toolkit::notes_on_snippet(before, after)) notes.push_back(std::move(note));
    data["diff"] = report.diff;
    data["notes"] = std::move(notes);
    return report;
  }
};

}  // namespace helve::tools
