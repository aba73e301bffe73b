#include "core/user_changes.h"

#include <limits>

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/strings.h"
#include "core/session_state.h"
#include "patch/change_report.h"

namespace helve::core {
namespace {

RecordedChange::File recorded_file(changes::FileAction action, const std::string& path,
                                   const std::string& old_path) {
  return {.path = path, .action = std::string(changes::to_string(action)), .old_path = old_path};
}

UndoOutcome::Step describe_step(const changes::UndoStep& step, Direction direction) {
  UndoOutcome::Step described{.change = {.id = step.change_id,
                                         .time = step.time,
                                         .tool = step.origin.tool,
                                         .state = std::string(changes::to_string(
                                             direction == Direction::kUndo ? changes::ChangeState::kUndone
                                                                           : changes::ChangeState::kApplied)),
                                         .files = {}},
                              .diff = {},
                              .not_redoable = step.not_redoable};
  for (const changes::RestoredFile& restored : step.files) {
    const changes::ChangedFile& file = restored.file;
    described.change.files.push_back(recorded_file(file.action, file.path, file.old_path));
    if (restored.content_left_out) continue;
    const std::string& before = file.old_path.empty() ? file.path : file.old_path;
    described.diff +=
        patch::report_change({file.action == changes::FileAction::kCreated ? std::string_view() : before,
                              file.action == changes::FileAction::kRemoved ? std::string_view() : file.path},
                             restored.old_content, restored.new_content)
            .diff;
  }
  return described;
}

Expected<void> check_rules(const Engines& engines, const std::string& path) {
  if (engines.rules->hidden()->hides(path))
    return fail(ErrorCode::kPermissionDenied, concat("A rule denies reading ", path, "."),
                "Nothing was changed.");
  const policy::Ruling ruling = engines.rules->decide(
      PermissionRequest{.tool = "edit", .effect = Effect::kWrite, .arguments = JsonObject{{"path", path}}},
      Mode::kFull, {});
  if (ruling.verdict != policy::Verdict::kDeny) return {};
  return fail(ErrorCode::kPermissionDenied, concat("A rule denies changing ", path, ": ", ruling.reason, "."),
              "Nothing was changed.");
}

// Writes the two audit lines of one action.
class UserRecord {
 public:
  UserRecord(Audit* audit, const Session& session, std::string tool)
      : audit_(audit), session_(session), tool_(std::move(tool)) {}

  [[nodiscard]] const std::string& call_id() const { return call_id_; }

  [[nodiscard]] Expected<void> add_intent(const std::string& workspace, const Json& arguments) const {
    if (audit_ == nullptr) return {};
    ObjectText entry;
    entry.add("kind", "intent")
        .add("session", session_.id())
        .add("call", call_id_)
        .add("tool", tool_)
        .add("effect", name_of(Effect::kWrite))
        .add("workspace", workspace)
        .add_json("arguments", arguments)
        .add("explanation", "")
        .add("decision", "the user asked for it");
    return audit_->append(entry.take());
  }

  [[nodiscard]] Expected<void> add_result(std::string_view outcome, std::string_view summary,
                                          JsonArray paths) const {
    if (audit_ == nullptr) return {};
    ObjectText entry;
    entry.add("kind", "result")
        .add("session", session_.id())
        .add("call", call_id_)
        .add("tool", tool_)
        .add("outcome", outcome)
        .add("summary", summary);
    if (!paths.empty()) entry.add_json("affectedPaths", std::move(paths));
    return audit_->append(entry.take());
  }

 private:
  Audit* const audit_;
  const Session& session_;
  const std::string tool_;
  const std::string call_id_ = random_id("call", 10);
};

}  // namespace

Expected<ChangeHistory> list_changes(const Engines& engines, const Session& session) {
  const auto list = engines.changes->list({.session = session.id()}, std::numeric_limits<std::size_t>::max());
  if (!list) return fail(list.error());
  ChangeHistory history{.changes = {}, .undoable = list->applied, .redoable = list->redoable};
  for (const changes::HistoryEntry& entry : list->entries) {
    RecordedChange& change =
        history.changes.emplace_back(RecordedChange{.id = entry.change_id,
                                                    .time = entry.time,
                                                    .tool = entry.tool,
                                                    .state = std::string(changes::to_string(entry.state)),
                                                    .files = {},
                                                    .not_undoable = entry.not_undoable});
    for (const changes::HistoryFile& file : entry.files)
      change.files.push_back(recorded_file(file.action, file.path, file.old_path));
  }
  return history;
}

Expected<UndoOutcome> revert_changes(Engines& engines, Audit* audit, const Session& session,
                                     Direction direction, std::size_t steps) {
  const bool is_undo = direction == Direction::kUndo;
  const std::string tool = is_undo ? "undo" : "history";
  const UserRecord record(audit, session, tool);
  JsonObject arguments{{"steps", steps}};
  if (!is_undo) arguments.append("action", "redo");
  if (auto recorded = record.add_intent(engines.root.path(), std::move(arguments)); !recorded)
    return fail(
        ErrorCode::kUnavailable,
        concat("The audit record could not be written, so nothing was changed: ", recorded.error().message),
        "Free disk space, or turn the audit off in the settings.");

  const changes::ChangeOrigin origin{session.id(), record.call_id(), tool};
  const changes::ChangeFilter filter{.session = session.id()};
  const changes::MayChange may_change = [&](const std::string& path) { return check_rules(engines, path); };
  const auto report = is_undo ? engines.changes->undo(origin, filter, steps, may_change)
                              : engines.changes->redo(origin, filter, steps, may_change);
  UndoOutcome outcome;
  JsonArray paths;
  if (report) {
    for (const changes::UndoStep& step : report->steps) {
      outcome.steps.push_back(describe_step(step, direction));
      for (const RecordedChange::File& file : outcome.steps.back().change.files) {
        paths.emplace_back(file.path);
        // The next edit of the model must read the restored content first.
        session.state().read_log.forget(file.path);
      }
    }
    if (report->stopped) outcome.stopped = report->stopped->message;
  }
  // The files have changed already, so a failure is only logged.
  if (auto recorded = record.add_result(
          report ? "ok" : to_string(report.error().code),
          report ? concat(is_undo ? "Undid " : "Redid ", count_of(outcome.steps.size(), "change"))
                 : report.error().message,
          std::move(paths));
      !recorded)
    engines.logger.error("The audit record could not be written", {{"error", recorded.error().message}});
  if (!report) return fail(report.error());
  return outcome;
}

}  // namespace helve::core
