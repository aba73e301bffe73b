// Undoes changes that Helve made.
#include "base/strings.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/undo_preview.h"
#include "toolkit/undo_report.h"

namespace helve::tools {

struct Undo {
  static constexpr std::string_view kDescription =
      "Undo this session's last change, or the last change to a file if path is given.\n"
      "Refuses if the file has changed since. history lists what can be undone.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData =
      "{steps: [{id: string, files: [any]}], oldTextLength: integer, newTextLength: integer, diff: string, "
      "snippet: string, undoableLeft: integer}";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;

  struct Params {
    std::optional<std::string> path;
    int steps = 1;

    void describe(ParamSpec& p) {
      p.optional("path", path, "File whose last change to undo.", {.min_length = 1});
      p.optional("steps", steps, "How many changes to undo.", {.min = 1, .max = 1000});
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{params.path ? "file:" + *params.path : std::string("file:")}};
  }

  Result execute(Context& context, const Params& params) const {
    const changes::ChangeFilter filter = toolkit::filter_for(context, params.path);
    const std::string of_others = params.path ? std::string() : toolkit::newer_changes_of_others(context);
    Result result = take_back(context, filter, static_cast<std::size_t>(params.steps));
    if (result) result->content += of_others;
    return result;
  }

 private:
  static Result take_back(Context& context, const changes::ChangeFilter& filter, std::size_t steps) {
    if (context.dry_run()) return toolkit::what_would_be_undone(context, filter, steps);
    const auto report = context.engines().changes->undo({context.session().id(), context.call_id(), "undo"},
                                                        filter, steps, toolkit::may_change(context));
    if (!report) return fail(report.error());
    return toolkit::describe_undo(context, *report, "Undid");
  }
};

}  // namespace helve::tools
