#include "core/look_ahead.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/json_read.h"
#include "core/rule_book.h"
#include "core/tool_run.h"
#include "policy/decide.h"

namespace helve::core {
namespace {

constexpr std::chrono::seconds kLongestLook{10};  // the user is waiting for the question

// Whether the call would fail in the same way after an approval.
bool is_certain(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidArgument ||
         error.code == ErrorCode::kConflict || error.code == ErrorCode::kSecurity;
}

// Only the rules for reading count here; the rules for writing decide about the call itself.
bool may_read(const Permissions& permissions, const PermissionRequest& request) {
  std::vector<std::string> paths = policy::paths_of_call(request.tool, request.arguments).paths;
  if (std::string directory = text_in(request.arguments, "cwd"); !directory.empty())
    paths.push_back(std::move(directory));
  return std::ranges::all_of(paths, [&](const std::string& path) {
    const PermissionRequest reading{.call_id = request.call_id,
                                    .tool = "read",
                                    .effect = Effect::kRead,
                                    .arguments = JsonObject{{"path", path}}};
    return permissions.decide(reading).verdict == Decision::Verdict::kAllow;
  });
}

// A session for a dry run: it has the id and the read log of the real one, because tools look at both, but it
// can neither change anything nor ask the user.
std::shared_ptr<Session> dry_run_session(const Session& session, const std::shared_ptr<RuleBook>& rules) {
  auto dry = std::make_shared<Session>(
      Session::Parts{.id = session.id(),
                     .output_directory = session.output_directory(),
                     .mode = Mode::kPlan,
                     .permissions = std::make_shared<RulePermissions>(Mode::kPlan, rules),
                     .approver = nullptr,
                     .asker = nullptr,
                     .sampler = nullptr,
                     .state = std::make_shared<SessionState>()});
  dry->state().read_log.take_over(session.state().read_log);
  return dry;
}

std::string without_dry_run(std::string_view summary) {
  constexpr std::string_view kDryRun = "Dry run: ";
  if (summary.starts_with(kDryRun)) summary.remove_prefix(kDryRun.size());
  return std::string(summary);
}

}  // namespace

std::string diff_in(const Result& result) {
  if (!result) return {};
  const Json* diff = result->data.find("diff");
  if (diff != nullptr && diff->is_string()) return diff->as_string();
  // A patch over several files has the diff in its text.
  const std::string& content = result->content;
  const bool changed = result->data.find("addedLines") != nullptr;
  const std::size_t begin = content.starts_with("--- ") ? 0 : content.find("\n--- ");
  if (!changed || begin == std::string::npos || !content.contains("\n+++ ")) return {};
  return content.substr(begin == 0 ? 0 : begin + 1);
}

Expected<void> look_ahead(const std::shared_ptr<Engines>& engines, WorkerPool& workers, ActiveCall& active,
                          const std::function<Expected<void>()>& record) {
  PermissionRequest& request = active.request;
  const ToolDefinition& definition = active.tool->definition;
  const bool runs_dry = active.effect() == Effect::kWrite && definition.dry_runs;
  if (!definition.server.empty() || (!runs_dry && !definition.foresees)) return {};
  std::shared_ptr<Session> session = dry_run_session(*active.session, engines->rules);
  if (!may_read(session->permissions(), request)) return {};
  // foresee() only looks, and it looks at the session itself, for example at its jobs.
  if (definition.foresees)
    session = active.session;
  else if (!record())
    return {};
  const auto deadline =
      ActiveCall::Clock::now() + std::min<ActiveCall::Clock::duration>(active.time_limit, kLongestLook);
  const Result result = run_guarded(workers, {active.tool, active.prepared},
                                    {.session = std::move(session),
                                     .engines = engines,
                                     .tool = definition.name,
                                     .call_id = active.call.id,
                                     .stop = active.call.stop,
                                     .deadline = deadline,
                                     .dry_run = true},
                                    &PreparedCall::foresee);
  // A failure after the deadline may have any cause, so it proves nothing about the call.
  if (!result && is_certain(result.error()) && ActiveCall::Clock::now() < deadline)
    return fail(result.error());
  request.diff = diff_in(result);
  request.diff_is_whole = result && result->diff_is_whole;
  if (request.diff_is_whole && request.diff.empty()) request.subject = without_dry_run(result->summary);
  const Json* notes = result ? result->data.find("notes") : nullptr;
  if (notes != nullptr && notes->is_array())
    for (const Json& note : notes->as_array())
      if (note.is_string()) request.notes.push_back(note.as_string());
  return {};
}

}  // namespace helve::core
