// Shows the changes that Helve made, redoes undone ones, or forgets them.
#include <algorithm>

#include "base/strings.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/undo_preview.h"
#include "toolkit/undo_report.h"

namespace helve::tools {

enum class HistoryAction { kList, kDiff, kRedo, kClear };
constexpr auto enum_names(HistoryAction) {
  return std::to_array<std::string_view>({"list", "diff", "redo", "clear"});
}

struct History {
  static constexpr std::string_view kDescription =
      "List the changes made here, newest first; show the last one as a diff; redo an undone one; or clear "
      "the "
      "list.\n"
      "Without path: this session's changes. With path: every change to that file.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData = "{entries?: [any], steps?: [any], files?: [any]}";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;

  struct Params {
    std::optional<std::string> path;
    HistoryAction action = HistoryAction::kList;

    void describe(ParamSpec& p) {
      p.optional("path", path, "File.", {.min_length = 1});
      p.optional("action", action, "clear forgets the changes and keeps the files.");
    }
  };

  Effect effect(const Params& params) const {
    const bool looks = params.action == HistoryAction::kList || params.action == HistoryAction::kDiff;
    return looks ? Effect::kRead : Effect::kWrite;
  }

  std::vector<Resource> resources(const Params& params) const {
    const auto use = effect(params) == Effect::kRead ? Resource::Use::kShared : Resource::Use::kExclusive;
    return {{params.path ? "file:" + *params.path : std::string("file:"), use}};
  }

  Result execute(Context& context, const Params& params) const {
    const changes::ChangeFilter filter = toolkit::filter_for(context, params.path);
    changes::Changes& changes = *context.engines().changes;
    switch (params.action) {
      case HistoryAction::kList: {
        Result result = toolkit::describe_list(changes.list(filter));
        if (result && !params.path) result->content += toolkit::newer_changes_of_others(context);
        if (result && params.path && *result->data.find("total") == Json(0))
          result->content = nothing_of(*params.path);
        return result;
      }
      case HistoryAction::kDiff: return toolkit::describe_last_change(context, filter);
      case HistoryAction::kRedo: return redo(context, changes, filter);
      case HistoryAction::kClear: return clear(context, changes, filter);
    }
    return fail(ErrorCode::kInvalidArgument, "There is no such action.");
  }

 private:
  // At the shell, the positional argument is the path.
  static std::string nothing_of(const std::string& path) {
    constexpr auto kActions = enum_names(HistoryAction());
    const bool is_action = std::ranges::find(kActions, path) != kActions.end();
    return concat("No changes of ", path, " are known.",
                  is_action ? concat(" For the action, say so: --action ", path, ".") : "", "\n");
  }

  static Result redo(Context& context, changes::Changes& changes, const changes::ChangeFilter& filter) {
    if (context.dry_run()) return toolkit::what_would_be_redone(context, filter);
    const auto report = changes.redo({context.session().id(), context.call_id(), "history"}, filter, 1,
                                     toolkit::may_change(context));
    if (!report) return fail(report.error());
    return toolkit::describe_undo(context, *report, "Redid");
  }

  static Result clear(Context& context, changes::Changes& changes, const changes::ChangeFilter& filter) {
    if (context.dry_run()) return toolkit::what_would_be_forgotten(context, filter);
    const auto report = changes.clear(filter);
    if (!report) return fail(report.error());
    return Output{
        .summary = concat("Forgot ", count_of(report->changes, "change"), "; the files stay as they are"),
        .data = JsonObject{{"changes", report->changes}, {"bytes", report->bytes}}};
  }
};

}  // namespace helve::tools
