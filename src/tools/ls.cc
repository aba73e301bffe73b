// Lists a directory or a directory tree.
#include "base/strings.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "search/ignore_rules.h"
#include "workspace/listing.h"

namespace helve::tools {

struct Ls {
  static constexpr std::string_view kDescription =
      "List the files of a directory with type, size and time; depth > 1 shows a tree.\n"
      "The tree does not enter hidden and ignored directories. To find files by name use find.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{path: string, entries: [{name: string, type: string}], total: integer}";
  static constexpr bool kHonoursStop = true;
  static constexpr std::size_t kResultLimit = 5000;

  struct Params {
    std::string path;
    int depth = 1;

    void describe(ParamSpec& p) {
      p.required("path", path, "Directory; . is the workspace.", {.min_length = 1});
      p.optional("depth", depth, "Levels to show.", {.min = 1, .max = 20});
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.path, Resource::Use::kShared}};
  }

  Result execute(Context& context, const Params& params) const {
    search::IgnoreLookup ignored(context.engines().root);
    const auto listing = workspace::list_path(
        context.engines().root, params.path,
        {.depth = params.depth,
         .should_stop = [&] { return context.should_stop(); },
         .stays_out = [&](const std::string& path) { return ignored.excludes(path, true); }});
    if (!listing) return fail(listing.error());
    if (context.should_stop() && listing->entries.empty()) return fail(context.stop_error());
    std::string summary = concat(listing->path, ": ", count_of(listing->total, "entry", "entries"));
    if (listing->left_out > 0)
      summary += concat(" shown, at least ", with_thousands(listing->left_out), " more");
    return Output{.summary = std::move(summary),
                  .content = listing->entries.empty() ? "(empty)\n" : workspace::to_text(*listing),
                  .data = workspace::to_json(*listing),
                  .truncated = listing->left_out > 0};
  }
};

}  // namespace helve::tools
