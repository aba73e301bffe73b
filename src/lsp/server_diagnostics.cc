// Diagnostics of a document's current text: requested from the server, or awaited if the server pushes them.
#include <algorithm>

#include "base/strings.h"
#include "lsp/server.h"

namespace helve::lsp {
namespace {

using std::chrono::milliseconds;

// A server may push several times for one text, quick findings first.
constexpr auto kQuietVersioned = milliseconds(150);
constexpr auto kQuietUnversioned = milliseconds(700);
constexpr std::string_view kPull = "textDocument/diagnostic";
constexpr std::string_view kTsserverRequest = "typescript.tsserverRequest";

std::vector<Diagnostic> read_tsserver(const Json& response) {
  std::vector<Diagnostic> found;
  const Json* body = response.find("body");
  if (body == nullptr || !body->is_array()) return found;
  const auto position = [](const Json* json) {
    std::int64_t line = 1;
    std::int64_t offset = 1;
    if (json != nullptr && json->find("line") != nullptr)
      static_cast<void>(json->find("line")->fits_int64(line));
    if (json != nullptr && json->find("offset") != nullptr)
      static_cast<void>(json->find("offset")->fits_int64(offset));
    return Position{static_cast<std::size_t>(std::max<std::int64_t>(line, 1) - 1),
                    static_cast<std::size_t>(std::max<std::int64_t>(offset, 1) - 1)};
  };
  for (const Json& each : body->as_array()) {
    Diagnostic diagnostic{.range = {position(each.find("start")), position(each.find("end"))},
                          .source = "typescript",
                          .message = text_in(each, "text")};
    const std::string category = text_in(each, "category");
    diagnostic.severity = category == "error"     ? Diagnostic::Severity::kError
                          : category == "warning" ? Diagnostic::Severity::kWarning
                                                  : Diagnostic::Severity::kHint;
    if (const Json* code = each.find("code")) diagnostic.code = to_text(*code);
    found.push_back(std::move(diagnostic));
  }
  return found;
}

bool offers_command(const Json& capabilities, std::string_view command) {
  const Json* provider = capabilities.find("executeCommandProvider");
  const Json* commands = provider != nullptr ? provider->find("commands") : nullptr;
  if (commands == nullptr || !commands->is_array()) return false;
  return std::ranges::find(commands->as_array(), Json(command)) != commands->as_array().end();
}

}  // namespace

bool Server::pulls_diagnostics() const {
  if (can("diagnosticProvider")) return true;
  const std::lock_guard lock(mutex_);
  return is_registered(kPull);
}

bool Server::is_registered(std::string_view method) const {
  return std::ranges::any_of(registered_, [&](const auto& each) { return each.second == method; });
}

Expected<std::vector<Diagnostic>> Server::pull(const Document& document, const WaitLimit& limit) {
  const auto report = ask(kPull, JsonObject{{"textDocument", JsonObject{{"uri", document.uri}}}}, limit);
  if (!report) return fail(report.error());
  const Json* items = report->find("items");
  return items != nullptr ? read_diagnostics(*items) : std::vector<Diagnostic>();
}

// typescript-language-server pushes diagnostics in pieces without a version, so its compiler is asked
// directly.
Expected<std::vector<Diagnostic>> Server::ask_tsserver(const Document& document, const WaitLimit& limit) {
  std::vector<Diagnostic> found;
  for (const std::string_view command : {"syntacticDiagnosticsSync", "semanticDiagnosticsSync"}) {
    const auto response =
        ask("workspace/executeCommand",
            JsonObject{{"command", kTsserverRequest},
                       {"arguments", JsonArray{command, JsonObject{{"file", document.path}}}}},
            limit);
    if (!response) return fail(response.error());
    for (Diagnostic& each : read_tsserver(*response)) found.push_back(std::move(each));
  }
  std::ranges::stable_sort(found, {}, &Diagnostic::range);
  return found;
}

Expected<std::vector<Diagnostic>> Server::await_push(const Document& document, const WaitLimit& limit) {
  std::unique_lock lock(mutex_);
  const auto current = [&]() -> const Pushed* {
    const auto pushed = pushed_.find(document.path);
    if (pushed == pushed_.end()) return nullptr;
    if (pushed->second.version)
      return *pushed->second.version == document.version ? &pushed->second : nullptr;
    return pushed->second.number > document.push_mark ? &pushed->second : nullptr;
  };
  changed_.wait_until(lock, limit.stop, limit.deadline, [&] {
    return current() != nullptr || state_ == State::kEnded || is_registered(kPull);
  });
  if (is_registered(kPull)) {  // it registered the capability after the start
    lock.unlock();
    return pull(document, limit);
  }
  while (const Pushed* pushed = current()) {
    const auto quiet = pushed->version ? kQuietVersioned : kQuietUnversioned;
    const Clock::time_point until = std::min(pushed->time + quiet, limit.deadline);
    if (Clock::now() >= until || limit.stop.stop_requested()) return pushed->diagnostics;
    const std::uint64_t number = pushed->number;
    changed_.wait_until(lock, limit.stop, until, [&] {
      const Pushed* now = current();
      return now == nullptr || now->number != number;
    });
  }
  if (state_ == State::kEnded) return fail(end_error_);
  if (limit.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The call was cancelled.");
  return fail(ErrorCode::kTimeout,
              concat(options_.spec.name, " did not report diagnostics for the current text in time."),
              "Try again in a moment.", JsonObject{{"state", "pending"}});
}

Expected<Diagnosis> Server::diagnose(const Document& document, const WaitLimit& limit) {
  Diagnosis diagnosis{.document = document};
  const WaitLimit bounded = limit.at_most(options_.answer_time);
  bool asks_compiler = false;
  {
    const std::lock_guard lock(mutex_);
    asks_compiler = offers_command(capabilities_, kTsserverRequest);
  }
  Expected<std::vector<Diagnostic>> found = std::vector<Diagnostic>();
  if (pulls_diagnostics()) {
    found = pull(document, bounded);
  } else if (asks_compiler) {
    found = ask_tsserver(document, bounded);
  } else {
    {
      // Other files changed since, so the same text may have other errors now.
      const std::lock_guard documents_lock(documents_mutex_);
      const Documents::SyncState now = sync_state();
      if (document.generation != now.generation && documents_->is_open(document.path))
        diagnosis.document = documents_->touch(document.path, now, options_.spec.ignores_watched_files);
    }
    found = await_push(diagnosis.document, bounded);
  }
  if (!found) return fail(found.error());
  diagnosis.diagnostics = *std::move(found);
  return diagnosis;
}

}  // namespace helve::lsp
