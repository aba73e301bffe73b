#include "core/look_ahead.h"

#include <algorithm>

#include "core/rule_book.h"
#include "core/tool_run.h"

namespace helve {
namespace {

constexpr std::chrono::seconds kLongestLook{10};  // somebody waits for the question

// What says that the same call would fail, whoever agrees to it.
bool is_certain(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidArgument ||
         error.code == ErrorCode::kConflict || error.code == ErrorCode::kSecurity;
}

}  // namespace

std::string diff_in(const Result& result) {
  if (!result) return {};
  const Json* diff = result->data.find("diff");
  if (diff != nullptr && diff->is_string()) return diff->as_string();
  // A patch over several files has it in its text.
  const std::string& content = result->content;
  const bool changed = result->data.find("addedLines") != nullptr;
  const std::size_t begin = content.starts_with("--- ") ? 0 : content.find("\n--- ");
  if (!changed || begin == std::string::npos || !content.contains("\n+++ ")) return {};
  return content.substr(begin == 0 ? 0 : begin + 1);
}

Expected<std::string> look_ahead(const std::shared_ptr<Engines>& engines, WorkerPool& workers,
                                 const Passage& passage, const PermissionRequest& request) {
  const ToolDefinition& definition = passage.tool->definition;
  if (passage.effect != Effect::kWrite || !definition.dry_runs || !definition.server.empty()) return "";
  // In the session's name, since tools ask for what it did before, but without its memory and its person.
  auto scout = std::make_shared<Session>(
      Session::Parts{.id = passage.session->id(),
                     .output_directory = passage.session->output_directory(),
                     .mode = Mode::kPlan,
                     .permissions = std::make_shared<RulePermissions>(Mode::kPlan, engines->rules),
                     .approver = nullptr,
                     .asker = nullptr,
                     .sampler = nullptr,
                     .state = std::make_shared<SessionState>()});
  PermissionRequest to_read = request;
  to_read.effect = Effect::kRead;
  const Decision decision = scout->permissions().decide(to_read);
  if (decision.verdict != Decision::Verdict::kAllow) return "";
  const Result result =
      run_guarded(workers, passage.tool,
                  {.session = std::move(scout),
                   .engines = engines,
                   .call_id = passage.call.id,
                   .stop = passage.call.stop,
                   .deadline = Passage::Clock::now() +
                               std::min<Passage::Clock::duration>(passage.time_limit, kLongestLook),
                   .dry_run = true},
                  request.arguments);
  if (!result && is_certain(result.error())) return fail(result.error());
  return diff_in(result);
}

}  // namespace helve
