// Handles the requests and notifications that a server sends.
#include <algorithm>

#include "base/file_uri.h"
#include "base/strings.h"
#include "lsp/server.h"

namespace helve::lsp {
namespace {

std::string token_of(const Json& params) {
  const Json* token = params.find("token");
  return token == nullptr ? std::string() : to_text(*token);
}

}  // namespace

Json Server::configuration(const Json& params) const {
  JsonArray answers;
  const Json settings = this->settings();
  const Json* items = params.find("items");
  if (items == nullptr || !items->is_array()) return answers;
  for (const Json& item : items->as_array()) {
    const std::string section = text_in(item, "section");
    const Json* at = &settings;
    if (!section.empty())
      for (const std::string_view part : split(section, '.'))
        if (at != nullptr) at = at->find(part);
    answers.push_back(at != nullptr ? *at : Json());
  }
  return answers;
}

std::expected<Json, rpc::Failure> Server::answer(const rpc::Request& request) {
  const std::string& method = request.method;
  if (method == "workspace/configuration") return configuration(request.params);
  if (method == "workspace/workspaceFolders") {
    const std::string& root = options_.project_root;
    return Json(JsonArray{JsonObject{{"uri", file_uri(root)}, {"name", root.substr(root.rfind('/') + 1)}}});
  }
  if (method == "client/registerCapability" || method == "client/unregisterCapability") {
    // "unregisterations" is the protocol's spelling.
    const Json* list =
        request.params.find(method == "client/registerCapability" ? "registrations" : "unregisterations");
    const std::lock_guard lock(mutex_);
    if (list != nullptr && list->is_array())
      for (const Json& each : list->as_array()) {
        if (method == "client/registerCapability")
          registered_[text_in(each, "id")] = text_in(each, "method");
        else  // by id: pyright registers a method again before it removes the old registration
          registered_.erase(text_in(each, "id"));
      }
    changed_.notify_all();
    return Json();
  }
  if (method == "window/workDoneProgress/create") return Json();
  if (method == "window/showMessageRequest") return Json();  // no action was chosen
  if (method == "window/showDocument") return Json(JsonObject{{"success", false}});
  if (method == "workspace/applyEdit") {
    const std::lock_guard lock(mutex_);
    if (collectors_ > 0) {
      if (const Json* edit = request.params.find("edit")) collected_edits_.push_back(*edit);
      return Json(JsonObject{{"applied", true}});
    }
    return Json(JsonObject{{"applied", false},
                           {"failureReason", "This client applies only edits that it requested."}});
  }
  if (method == "workspace/diagnostic/refresh") {
    const std::lock_guard lock(mutex_);
    ++generation_;
    return Json();
  }
  if (method.ends_with("/refresh")) return Json();
  return std::unexpected(rpc::Failure{.code = rpc::kMethodNotFound,
                                      .message = concat("This client does not support ", method, ".")});
}

void Server::handle_progress(const Json& params) {
  const Json* value = params.find("value");
  if (value == nullptr) return;
  const std::string kind = text_in(*value, "kind");
  if (kind == "begin") {
    const std::string title = text_in(*value, "title");
    readiness_.begin(token_of(params), title.empty() ? "working" : title);
  } else if (kind == "end") {
    readiness_.end(token_of(params));
  }
}

void Server::handle_diagnostics(const Json& params) {
  const auto path = path_of_uri(text_in(params, "uri"));
  if (!path) return;
  constexpr std::size_t kMostFiles = 20'000;
  Pushed pushed{.time = Clock::now()};
  std::int64_t version = 0;
  if (const Json* given = params.find("version"); given != nullptr && given->fits_int64(version))
    pushed.version = static_cast<int>(version);
  if (const Json* list = params.find("diagnostics")) pushed.diagnostics = read_diagnostics(*list);
  const std::lock_guard lock(mutex_);
  pushed.number = ++push_count_;
  if (pushed_.size() >= kMostFiles && !pushed_.contains(*path)) pushed_.clear();
  pushed_[*path] = std::move(pushed);
  changed_.notify_all();
}

void Server::handle_notification(const rpc::Notification& notification) {
  const std::string& method = notification.method;
  if (method == "$/progress") return handle_progress(notification.params);
  if (method == "textDocument/publishDiagnostics") return handle_diagnostics(notification.params);
  // Older versions of pyright use these instead of $/progress.
  if (method == "pyright/beginProgress") return readiness_.begin("pyright", "analysing");
  if (method == "pyright/endProgress") return readiness_.end("pyright");
  if (method == "window/logMessage" || method == "window/showMessage") {
    // Without its compiler process, typescript-language-server keeps running and returns empty answers.
    const std::string text = text_in(notification.params, "message");
    if (text.find("[tsserver] Exited") != std::string::npos ||
        text.find("TypeScript server exited") != std::string::npos)
      note_end("Its compiler process exited.");
  }
}

}  // namespace helve::lsp
