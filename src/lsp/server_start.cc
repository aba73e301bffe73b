// Starts a server: its process, the handshake and the capabilities of both sides.
#include "base/environment.h"
#include "base/file_uri.h"
#include "base/strings.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "lsp/server.h"
#include "process/command_environment.h"

namespace helve::lsp {
namespace {

constexpr std::string_view kScratchName = "helve-lsp-";

using std::chrono::seconds;

// Exactly what this client supports: servers send everything that is announced here.
Json client_capabilities() {
  const Json yes = true;
  const Json no = false;
  const auto object = [](std::initializer_list<JsonMember> members) { return Json(JsonObject(members)); };
  const Json units = JsonArray{"utf-8", "utf-16", "utf-32"};
  return object(
      {{"general", object({{"positionEncodings", units}})},
       {"offsetEncoding", units},  // clangd's name for it
       {"workspace",
        object({{"configuration", yes},
                {"workspaceFolders", yes},
                {"applyEdit", yes},
                {"didChangeConfiguration", object({{"dynamicRegistration", yes}})},
                {"didChangeWatchedFiles",
                 object({{"dynamicRegistration", yes}, {"relativePatternSupport", yes}})},
                {"symbol", object({{"dynamicRegistration", no}})},
                {"workspaceEdit", object({{"documentChanges", yes}, {"failureHandling", "abort"}})}})},
       {"textDocument",
        object({{"synchronization", object({{"didSave", yes}, {"dynamicRegistration", no}})},
                {"hover", object({{"contentFormat", JsonArray{"markdown", "plaintext"}}})},
                {"definition", object({{"linkSupport", yes}})},
                {"references", object({{"dynamicRegistration", no}})},
                {"documentSymbol", object({{"hierarchicalDocumentSymbolSupport", yes}})},
                {"rename", object({{"prepareSupport", yes}})},
                {"formatting", object({{"dynamicRegistration", no}})},
                {"publishDiagnostics", object({{"versionSupport", yes}, {"relatedInformation", no}})},
                {"diagnostic", object({{"dynamicRegistration", yes}, {"relatedDocumentSupport", no}})}})},
       {"window", object({{"workDoneProgress", yes}, {"showDocument", object({{"support", no}})}})}});
}

}  // namespace

void Server::start() {
  Expected<void> started;
  try {
    started = start_process();
    if (started) started = initialize();
  } catch (const std::system_error&) {  // of a thread that reads from the server
    started = fail(no_thread_error("so it cannot be used"));
  }
  if (!started) {
    end(started.error().message);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (state_ == State::kStarting) state_ = State::kRunning;
  changed_.notify_all();
}

Expected<void> Server::start_process() {
  process::EnvironmentOptions environment;
  // The sandbox provides a private temporary directory. Without it the server gets one as well, so that files
  // left by a killed server (clangd's preambles are tens of megabytes) are removed.
  ScratchDirectory scratch;
  if (!options_.program.needs_sandbox) {
    const std::string base = temporary_directory();
    ScratchDirectory::remove_left_behind(base, kScratchName);
    if (auto made = ScratchDirectory::create(base, kScratchName)) scratch = *std::move(made);
    environment.temporary_directory = scratch.path();
  }
  std::vector<std::string> hidden;
  if (options_.program.needs_sandbox && options_.hidden) {
    auto found = options_.hidden();
    if (!found) return fail(found.error());
    hidden = *std::move(found);
  }
  ServerLaunch launch{
      .argv = {options_.program.path},
      .directory = options_.project_root,
      .environment = process::make_command_environment(process::own_environment(), environment).variables,
      .launcher = options_.launcher,
      .sandboxed = options_.program.needs_sandbox,
      .workspace = options_.workspace->path(),
      .hidden = std::move(hidden),
      .scratch = std::move(scratch)};
  std::ranges::copy(options_.spec.args, std::back_inserter(launch.argv));
  if (!options_.spec.newer_args.empty() &&
      version_in_path(options_.program.path) >= options_.spec.newer_since)
    std::ranges::copy(options_.spec.newer_args, std::back_inserter(launch.argv));
  auto process = ServerProcess::start(std::move(launch));
  if (!process) return fail(process.error());
  const std::lock_guard lock(parts_mutex_);
  if (state() == State::kEnded) return fail(ErrorCode::kCancelled, "It was stopped while starting.");
  process_ = *std::move(process);
  connection_ = std::make_unique<Connection>(
      process_->take_output(), process_->take_input(),
      Connection::Handlers{
          .on_notification = [this](const rpc::Notification& each) { handle_notification(each); },
          .on_request = [this](const rpc::Request& each) { return answer(each); },
          .on_end = [this](const std::string& reason, EndedBy by) { note_end(reason, by); }});
  return {};
}

Json Server::settings() const {
  Json settings = options_.spec.settings;
  if (settings.is_null()) settings = JsonObject();
  const auto packages = find_site_packages(*options_.workspace, options_.project_root);
  if (packages.empty()) return settings;
  JsonArray paths;
  for (const std::string& path : packages) paths.emplace_back(path);
  for (const std::string_view section : {"python", "basedpyright"}) {
    Json* own = settings.as_object().find(section);
    if (own == nullptr || !own->is_object()) continue;
    Json& analysis = (*own)["analysis"];
    if (analysis.is_object() && analysis.find("extraPaths") == nullptr) analysis["extraPaths"] = paths;
  }
  return settings;
}

Json Server::initialize_params() const {
  const std::string uri = file_uri(options_.project_root);
  const std::string& root = options_.project_root;
  const std::string name = root.substr(root.rfind('/') + 1);
  Json params = JsonObject{
      {"processId", nullptr},  // the launcher ends it; the pid would be of another namespace
      {"clientInfo", JsonObject{{"name", "helve"}}},
      {"rootPath", root},
      {"rootUri", uri},
      {"capabilities", client_capabilities()},
      {"workspaceFolders", JsonArray{JsonObject{{"uri", uri}, {"name", name.empty() ? root : name}}}}};
  if (!options_.spec.initialization_options.is_null())
    params["initializationOptions"] = options_.spec.initialization_options;
  return params;
}

void Server::take_capabilities(const Json& result) {
  const Json* capabilities = result.find("capabilities");
  std::string unit = capabilities != nullptr ? text_in(*capabilities, "positionEncoding") : "";
  if (unit.empty()) unit = text_in(result, "offsetEncoding");
  for (const ColumnUnit each : {ColumnUnit::kUtf8, ColumnUnit::kUtf16, ColumnUnit::kUtf32})
    if (unit == to_string(each)) unit_ = each;
  const Json* info = result.find("serverInfo");
  const std::lock_guard lock(mutex_);
  if (capabilities != nullptr) capabilities_ = *capabilities;
  // clangd appends the system on which it was built.
  if (info != nullptr) version_ = shortened(text_in(*info, "version"), 60);
}

Expected<void> Server::initialize() {
  const WaitLimit limit{.deadline = Clock::now() + options_.start_time};
  // The baseline is taken before the server reads the disk, so that no later change is missed.
  if (auto baseline = watch_.check(limit); !baseline) return fail(baseline.error());
  const auto result = connection_->request("initialize", initialize_params(), limit);
  if (!result && result.error().code == ErrorCode::kTimeout)
    return fail(ErrorCode::kTimeout,
                concat("It did not answer initialize within ",
                       count_of(static_cast<std::size_t>(options_.start_time.count()), "second"), "."));
  if (!result) return fail(result.error());
  take_capabilities(*result);
  connection_->notify("initialized", JsonObject());
  connection_->notify("workspace/didChangeConfiguration", JsonObject{{"settings", settings()}});
  const std::lock_guard lock(documents_mutex_);
  documents_.emplace(*options_.workspace, *connection_);
  initialized_ = true;
  return {};
}

}  // namespace helve::lsp
