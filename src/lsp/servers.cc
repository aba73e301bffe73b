#include "lsp/servers.h"

#include <algorithm>

#include "base/strings.h"
#include "base/threads.h"
#include "helve/settings/lsp.h"
#include "text/language.h"

namespace helve::lsp {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kForgetCrashes = minutes(10);
constexpr int kLongestPause = 60;
constexpr int kPauseAfterNoStart = 20;  // a failed start is unlikely to succeed a moment later

std::string language_name(const std::string& path) {
  const auto language = text::language_of(path);
  return language ? std::string(language->name)
                  : concat("this kind of file (", path.substr(path.rfind('/') + 1), ")");
}

bool is_crash(const Error& error) { return error.kind == ErrorKind::kServerCrashed; }

// Stops them in parallel, because each may take a while.
void end_all(std::vector<std::shared_ptr<Server>> servers) {
  std::vector<std::jthread> enders;
  for (auto& server : servers) {
    // The thread has the last reference; if it does not start, the server is stopped here.
    const auto last = std::make_shared<std::shared_ptr<Server>>(std::move(server));
    if (std::jthread ender; try_start_thread(ender, [last] { last->reset(); }))
      enders.push_back(std::move(ender));
  }
}

}  // namespace

std::string_view to_string(ServerStatus::State state) {
  using State = ServerStatus::State;
  switch (state) {
    case State::kDisabled: return "disabled";
    case State::kMissing: return "missing";
    case State::kFound: return "found";
    case State::kStarting: return "starting";
    case State::kRunning: return "ready";
    case State::kIndexing: return "indexing";
    case State::kCrashed: return "crashed";
    case State::kUnavailable: return "unavailable";
  }
  return "missing";
}

Servers::Servers(Options options)
    : options_(std::move(options)), specs_(configured_servers(*options_.settings)) {}

Servers::~Servers() {
  maintenance_ = {};  // stops and waits
  std::vector<std::shared_ptr<Server>> all;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [key, slot] : slots_)
      if (slot.server) all.push_back(std::move(slot.server));
    slots_.clear();
    std::ranges::move(ended_, std::back_inserter(all));
    ended_.clear();
  }
  end_all(std::move(all));
}

void Servers::note_crash(Slot& slot) const {
  const Clock::time_point now = Clock::now();
  if (now - slot.last_crash > kForgetCrashes) slot.crashes = 0;
  ++slot.crashes;
  slot.last_crash = now;
  slot.last_error = slot.server->end_error();
  // The first crash causes no pause; further ones cause growing pauses.
  int pause = slot.crashes == 1 ? 0 : std::min(kLongestPause, 1 << std::min(slot.crashes, 6));
  if (!slot.server->was_initialized()) pause = std::max(pause, kPauseAfterNoStart);
  slot.next_try = now + seconds(pause);
  if (options_.logger != nullptr)
    options_.logger->warning(slot.last_error.message, {{"crashes", slot.crashes}, {"pauseSeconds", pause}});
}

Expected<std::shared_ptr<Server>> Servers::get_or_start(const ServerSpec& spec, const FoundProgram& program,
                                                        const std::string& project_root) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[{spec.name, project_root}];
  if (slot.server && slot.server->state() == Server::State::kEnded) {
    note_crash(slot);
    // The maintenance thread destroys it, because that may take a while.
    ended_.push_back(std::move(slot.server));
    wake_.notify_all();
  }
  if (slot.server) return slot.server;
  if (Clock::now() < slot.next_try) {
    const auto left = std::chrono::duration_cast<seconds>(slot.next_try - Clock::now()).count() + 1;
    Error error = slot.last_error;
    error.hint = concat("It ended ", count_of(static_cast<std::size_t>(slot.crashes), "time"),
                        " recently and can restart in ", left, " s. Until then use grep and read.");
    return fail(std::move(error));
  }
  const LspSettings& settings = *options_.settings;
  slot.server = std::make_shared<Server>(Server::Options{.spec = spec,
                                                         .program = program,
                                                         .project_root = project_root,
                                                         .workspace = options_.workspace,
                                                         .launcher = options_.launcher,
                                                         .start_time = seconds(settings.start_seconds),
                                                         .ready_time = seconds(settings.ready_seconds),
                                                         .answer_time = seconds(settings.answer_seconds),
                                                         .hidden = options_.hidden});
  // If this fails, the next server tries again.
  if (!maintenance_.joinable())
    static_cast<void>(
        try_start_thread(maintenance_, [this](const std::stop_token& stop) { run_maintenance(stop); }));
  return slot.server;
}

Error Servers::missing_error(const std::string& path, const std::vector<const ServerSpec*>& fitting) const {
  if (fitting.empty())
    return {ErrorCode::kUnavailable, concat("No language server supports ", language_name(path), "."),
            "Use grep and read, or add a server to the setting lsp.servers.",
            JsonObject{{"state", "unavailable"}}};
  std::vector<std::string> names;
  for (const ServerSpec* spec : fitting) names.push_back(spec->command);
  return {ErrorCode::kUnavailable,
          concat("No language server for ", language_name(path), " is installed. Looked for ",
                 enumerate(names, " and "), " in node_modules/.bin, virtual environments and PATH."),
          concat("Install it with `", fitting.front()->install, "`; until then use grep and read."),
          JsonObject{{"state", "unavailable"}, {"install", fitting.front()->install}}};
}

Expected<std::shared_ptr<Server>> Servers::server_for(const std::string& path, const WaitLimit& limit) {
  if (!options_.settings->enabled)
    return fail(ErrorCode::kUnavailable, "Language servers are disabled.",
                "Set lsp.enabled to true, or use grep and read.", JsonObject{{"state", "unavailable"}});
  std::vector<const ServerSpec*> fitting;
  std::optional<Error> failed;
  for (const ServerSpec& spec : specs_) {
    if (!spec.enabled || !spec.serves(path)) continue;
    fitting.push_back(&spec);
    const std::string root = find_project_root(spec, *options_.workspace, path);
    const auto program = find_server_program(spec, *options_.workspace, root);
    if (!program) continue;
    const auto server = get_or_start(spec, *program, root);
    if (!server) {
      if (!failed) failed = server.error();
      continue;
    }
    if (const auto started = (*server)->wait_started(limit); !started) {
      // If it could not start, the next one may. If it is still starting, waiting is better.
      if ((*server)->state() == Server::State::kStarting) return fail(started.error());
      if (!failed || is_crash(started.error())) failed = started.error();
      continue;
    }
    return *server;
  }
  if (!failed) return fail(missing_error(path, fitting));
  if (failed->hint.empty()) failed->hint = "Use grep and read, or run `helve lsp status --start`.";
  return fail(*std::move(failed));
}

std::vector<std::shared_ptr<Server>> Servers::running() const {
  std::vector<std::shared_ptr<Server>> found;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, slot] : slots_)
    if (slot.server && slot.server->state() == Server::State::kRunning) found.push_back(slot.server);
  return found;
}

std::vector<ServerStatus> Servers::status(bool try_start, const WaitLimit& limit) {
  using State = ServerStatus::State;
  std::vector<ServerStatus> all;
  std::vector<std::pair<std::size_t, std::shared_ptr<Server>>> started;
  for (const ServerSpec& spec : specs_) {
    ServerStatus status{.name = spec.name, .languages = spec.languages, .install = spec.install};
    const std::string& root = options_.workspace->path();
    const auto program = find_server_program(spec, *options_.workspace, root);
    if (program) {
      status.program = program->path;
      status.sandboxed = program->needs_sandbox;
      status.state = State::kFound;
    }
    if (!spec.enabled || !options_.settings->enabled) status.state = State::kDisabled;
    if (status.state == State::kFound && try_start) {
      if (auto server = get_or_start(spec, *program, root); server)
        started.emplace_back(all.size(), *std::move(server));
      else
        status.problem = server.error().message;
    }
    all.push_back(std::move(status));
  }
  for (const auto& [index, server] : started) static_cast<void>(server->wait_started(limit));
  const std::lock_guard lock(mutex_);
  for (const auto& [key, slot] : slots_) {
    const auto status = std::ranges::find(all, key.first, &ServerStatus::name);
    if (status == all.end()) continue;
    status->project_root = key.second;
    if (!slot.server) {
      status->state = State::kCrashed;
      status->problem = slot.last_error.message;
      continue;
    }
    status->version = slot.server->version();
    status->memory_bytes = slot.server->memory_bytes();
    switch (slot.server->state()) {
      case Server::State::kStarting: status->state = State::kStarting; break;
      case Server::State::kRunning:
        status->state = slot.server->work().empty() ? State::kRunning : State::kIndexing;
        break;
      case Server::State::kEnded:
        status->state = slot.server->was_initialized() ? State::kCrashed : State::kUnavailable;
        status->problem = slot.server->end_error().message;
        break;
    }
  }
  return all;
}

void Servers::run_maintenance(const std::stop_token& stop) {
  const auto idle = options_.idle_time.value_or(minutes(options_.settings->idle_minutes));
  const auto most_memory = static_cast<std::uint64_t>(options_.settings->memory_megabytes) << 20;
  while (!stop.stop_requested()) {
    std::vector<std::shared_ptr<Server>> to_end;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, options_.maintenance_interval, [&] { return !ended_.empty(); });
      if (stop.stop_requested()) return;
      to_end = std::exchange(ended_, {});
      for (auto& [key, slot] : slots_) {
        if (!slot.server || slot.server->state() != Server::State::kRunning) continue;
        if (!slot.server->is_asked() && Clock::now() - slot.server->last_used() > idle)
          to_end.push_back(std::move(slot.server));
        else if (most_memory != 0 && slot.server->memory_bytes() > most_memory)
          slot.server->end(concat("It used more than ", options_.settings->memory_megabytes,
                                  " MiB of memory (lsp.memory_megabytes)."));
      }
    }
    end_all(std::move(to_end));
  }
}

}  // namespace helve::lsp
