#include "lsp/servers.h"

#include <algorithm>

#include "base/strings.h"
#include "workspace/language.h"

namespace helve::lsp {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kForgetCrashes = minutes(10);
constexpr int kLongestPause = 60;
constexpr int kPauseAfterNoStart = 20;  // what cannot start cannot do so a moment later either

std::string language_name(const std::string& path) {
  const auto language = language_of(path);
  return language ? std::string(language->name)
                  : concat("this kind of file (", path.substr(path.rfind('/') + 1), ")");
}

bool is_crash(const Error& error) {
  const Json* state = error.details.find("state");
  return state != nullptr && *state == Json("crashed");
}

// Ends them at the same time, since each may take a while.
void end_all(std::vector<std::shared_ptr<Server>> servers) {
  std::vector<std::jthread> enders;
  for (auto& server : servers) enders.emplace_back([last = std::move(server)]() mutable { last.reset(); });
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
    : options_(std::move(options)), specs_(configured_servers(options_.settings)) {}

Servers::~Servers() {
  housekeeper_ = {};  // stops and waits
  std::vector<std::shared_ptr<Server>> all;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [key, seat] : seats_)
      if (seat.server) all.push_back(std::move(seat.server));
    seats_.clear();
    std::ranges::move(ended_, std::back_inserter(all));
    ended_.clear();
  }
  end_all(std::move(all));
}

void Servers::note_crash(Seat& seat) const {
  const Clock::time_point now = Clock::now();
  if (now - seat.last_crash > kForgetCrashes) seat.crashes = 0;
  ++seat.crashes;
  seat.last_crash = now;
  seat.last_error = seat.server->end_error();
  // One crash may happen to anybody; then the pauses grow.
  int pause = seat.crashes == 1 ? 0 : std::min(kLongestPause, 1 << std::min(seat.crashes, 6));
  if (!seat.server->was_initialized()) pause = std::max(pause, kPauseAfterNoStart);
  seat.next_try = now + seconds(pause);
  if (options_.logger != nullptr)
    options_.logger->warning(seat.last_error.message, {{"crashes", seat.crashes}, {"pauseSeconds", pause}});
}

Expected<std::shared_ptr<Server>> Servers::seat(const ServerSpec& spec, const FoundProgram& program,
                                                const std::string& project_root) {
  const std::lock_guard lock(mutex_);
  Seat& seat = seats_[{spec.name, project_root}];
  if (seat.server && seat.server->state() == Server::State::kEnded) {
    note_crash(seat);
    // Its end may take a moment, for which nobody here has to wait.
    ended_.push_back(std::move(seat.server));
    wake_.notify_all();
  }
  if (seat.server) return seat.server;
  if (Clock::now() < seat.next_try) {
    const auto left = std::chrono::duration_cast<seconds>(seat.next_try - Clock::now()).count() + 1;
    Error error = seat.last_error;
    error.hint = concat("It ended ", count_of(static_cast<std::size_t>(seat.crashes), "time"),
                        " lately and is not started again before ", left,
                        " s have passed. Until then use grep and read.");
    return fail(std::move(error));
  }
  seat.server = std::make_shared<Server>(Server::Options{.spec = spec,
                                                         .program = program,
                                                         .project_root = project_root,
                                                         .workspace = options_.workspace,
                                                         .launcher = options_.launcher,
                                                         .limits = options_.settings,
                                                         .hidden = options_.hidden});
  if (!housekeeper_.joinable())
    housekeeper_ = std::jthread([this](const std::stop_token& stop) { keep_house(stop); });
  return seat.server;
}

Error Servers::missing_error(const std::string& path, const std::vector<const ServerSpec*>& fitting) const {
  if (fitting.empty())
    return {ErrorCode::kUnavailable, concat("There is no language server for ", language_name(path), "."),
            "Use grep and read; or add a server to the setting lsp.servers.",
            JsonObject{{"state", "unavailable"}}};
  std::vector<std::string> names;
  for (const ServerSpec* spec : fitting) names.push_back(spec->command);
  return {ErrorCode::kUnavailable,
          concat("No language server for ", language_name(path), " is installed: ", enumerate(names, " and "),
                 names.size() == 1 ? " was" : " were",
                 " looked for in node_modules/.bin, in virtual environments and in PATH."),
          concat("Install it with `", fitting.front()->install, "`; until then use grep and read."),
          JsonObject{{"state", "unavailable"}, {"install", fitting.front()->install}}};
}

Expected<std::shared_ptr<Server>> Servers::server_for(const std::string& path, const Patience& patience) {
  if (!options_.settings.enabled)
    return fail(ErrorCode::kUnavailable, "Language servers are switched off.",
                "Set lsp.enabled to true, or use grep and read.", JsonObject{{"state", "unavailable"}});
  std::vector<const ServerSpec*> fitting;
  std::optional<Error> failed;
  for (const ServerSpec& spec : specs_) {
    if (!spec.enabled || !spec.serves(path)) continue;
    fitting.push_back(&spec);
    const std::string root = find_project_root(spec, *options_.workspace, path);
    const auto program = find_server_program(spec, *options_.workspace, root);
    if (!program) continue;
    const auto server = seat(spec, *program, root);
    if (!server) {
      if (!failed) failed = server.error();
      continue;
    }
    if (const auto started = (*server)->wait_started(patience); !started) {
      // Still starting: there is no better one. Could not start: the next one may.
      if ((*server)->state() == Server::State::kStarting) return fail(started.error());
      if (!failed || is_crash(started.error())) failed = started.error();
      continue;
    }
    return *server;
  }
  if (!failed) return fail(missing_error(path, fitting));
  if (failed->hint.empty()) failed->hint = "Use grep and read, or look at `helve lsp status --start`.";
  return fail(*std::move(failed));
}

std::vector<std::shared_ptr<Server>> Servers::running() const {
  std::vector<std::shared_ptr<Server>> found;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, seat] : seats_)
    if (seat.server && seat.server->state() == Server::State::kRunning) found.push_back(seat.server);
  return found;
}

std::vector<ServerStatus> Servers::status(bool try_start, const Patience& patience) {
  using State = ServerStatus::State;
  std::vector<ServerStatus> all;
  std::vector<std::pair<std::size_t, std::shared_ptr<Server>>> started;
  for (const ServerSpec& spec : specs_) {
    ServerStatus status{.name = spec.name, .languages = spec.languages, .install = spec.install};
    const std::string& root = options_.workspace->path();
    const auto program = find_server_program(spec, *options_.workspace, root);
    if (program) {
      status.program = program->path;
      status.walled = program->of_workspace;
      status.state = State::kFound;
    }
    if (!spec.enabled || !options_.settings.enabled) status.state = State::kDisabled;
    if (status.state == State::kFound && try_start) {
      if (auto server = seat(spec, *program, root); server)
        started.emplace_back(all.size(), *std::move(server));
      else
        status.problem = server.error().message;
    }
    all.push_back(std::move(status));
  }
  for (const auto& [index, server] : started) static_cast<void>(server->wait_started(patience));
  const std::lock_guard lock(mutex_);
  for (const auto& [key, seat] : seats_) {
    const auto status = std::ranges::find(all, key.first, &ServerStatus::name);
    if (status == all.end()) continue;
    status->project_root = key.second;
    if (!seat.server) {
      status->state = State::kCrashed;
      status->problem = seat.last_error.message;
      continue;
    }
    status->version = seat.server->version();
    status->memory_bytes = seat.server->memory_bytes();
    switch (seat.server->state()) {
      case Server::State::kStarting: status->state = State::kStarting; break;
      case Server::State::kRunning:
        status->state = seat.server->work().empty() ? State::kRunning : State::kIndexing;
        break;
      case Server::State::kEnded:
        status->state = seat.server->was_initialized() ? State::kCrashed : State::kUnavailable;
        status->problem = seat.server->end_error().message;
        break;
    }
  }
  return all;
}

void Servers::keep_house(const std::stop_token& stop) {
  const auto idle = options_.idle_time.value_or(minutes(options_.settings.idle_minutes));
  const auto most_memory = static_cast<std::uint64_t>(options_.settings.memory_megabytes) << 20;
  while (!stop.stop_requested()) {
    std::vector<std::shared_ptr<Server>> to_end;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, options_.house_interval, [&] { return !ended_.empty(); });
      if (stop.stop_requested()) return;
      to_end = std::exchange(ended_, {});
      for (auto& [key, seat] : seats_) {
        if (!seat.server || seat.server->state() != Server::State::kRunning) continue;
        if (!seat.server->is_asked() && Clock::now() - seat.server->last_used() > idle)
          to_end.push_back(std::move(seat.server));
        else if (most_memory != 0 && seat.server->memory_bytes() > most_memory)
          seat.server->end(concat("It used more than ", options_.settings.memory_megabytes,
                                  " MiB of memory (lsp.memory_megabytes)."));
      }
    }
    end_all(std::move(to_end));
  }
}

}  // namespace helve::lsp
