// Takes back changes that Helve made.
#include "base/strings.h"
#include "core/engines.h"
#include "core/undo_preview.h"
#include "core/undo_report.h"
#include "helve/tool.h"

namespace helve::tools {

struct Undo {
  static constexpr std::string_view kDescription =
      "Take back the last change made here to a file, by anyone, or this session's last change when no path "
      "is given.\n"
      "Refuses when the file was changed since by somebody else. history shows what there is to undo.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData = "{steps: [{id: string, files: [any]}], undoableLeft: integer}";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;

  struct Params {
    std::optional<std::string> path;
    int steps = 1;

    void describe(ParamSpec& p) {
      p.optional("path", path, "File whose last change to take back.", {.min_length = 1});
      p.optional("steps", steps, "How many changes to take back.", {.min = 1, .max = 1000});
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{params.path ? "file:" + *params.path : std::string("file:")}};
  }

  Result execute(Context& context, const Params& params) const {
    const ChangeFilter filter = filter_for(context, params.path);
    const std::string of_others = params.path ? std::string() : newer_changes_of_others(context);
    Result result = take_back(context, filter, static_cast<std::size_t>(params.steps));
    if (result) result->content += of_others;
    return result;
  }

 private:
  static Result take_back(Context& context, const ChangeFilter& filter, std::size_t steps) {
    if (context.dry_run()) return what_would_be_undone(context, filter, steps);
    const auto report = context.engines().changes->undo({context.session().id(), context.call_id(), "undo"},
                                                        filter, steps, may_change(context));
    if (!report) return fail(report.error());
    return describe_undo(context, *report, "Took back");
  }
};

}  // namespace helve::tools
