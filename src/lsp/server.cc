#include "lsp/server.h"

#include <sys/stat.h>

#include "base/file_uri.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::lsp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kShutDownTime = seconds(2);
constexpr auto kExitTime = seconds(1);
constexpr auto kStderrTime = milliseconds(500);
// A server loads the project after its first document and takes a moment to report that.
constexpr auto kFirstOpenPause = milliseconds(400);
constexpr auto kLaterOpenPause = milliseconds(60);
constexpr std::size_t kMostOpenedForChanges = 20;

// Counts a running request.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int>& count_;
};

}  // namespace

Server::Server(Options options)
    : options_(std::move(options)),
      watch_(*options_.workspace, options_.project_root, options_.spec.globs()),
      starter_([this] { start(); }) {}

Server::~Server() {
  Connection* connection = nullptr;
  ServerProcess* process = nullptr;
  {
    const std::lock_guard lock(parts_mutex_);
    connection = connection_.get();
    process = process_.get();
  }
  if (state() == State::kRunning && connection != nullptr) {
    const WaitLimit limit{.deadline = Clock::now() + kShutDownTime};
    if (connection->request("shutdown", {}, limit)) {
      connection->notify("exit", {});
      connection->flush(limit);
      process->wait({.deadline = Clock::now() + kExitTime});
    }
  }
  end("It was stopped.");
  starter_.join();
  connection_.reset();  // first, because its thread uses the other members
  process_.reset();
}

Server::State Server::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Error Server::end_error() const {
  const std::lock_guard lock(mutex_);
  return end_error_;
}

std::string Server::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

Clock::time_point Server::last_used() const {
  const std::lock_guard lock(mutex_);
  return last_used_;
}

std::uint64_t Server::memory_bytes() const {
  const std::lock_guard lock(parts_mutex_);
  return process_ ? process_->memory_bytes() : 0;
}

bool Server::can(std::string_view capability) const {
  const std::lock_guard lock(mutex_);
  const Json* value = capabilities_.find(capability);
  return value != nullptr && !value->is_null() && *value != Json(false);
}

bool Server::lacks_compile_commands() const {
  if (!options_.spec.wants_compile_commands) return false;
  // clangd looks in all directories above a file.
  std::string at = options_.project_root;
  for (;; at.resize(at.rfind('/'))) {
    struct stat status{};
    for (const std::string_view name :
         {"compile_commands.json", "build/compile_commands.json", "compile_flags.txt", ".clangd"})
      if (::stat(concat(at, "/", name).c_str(), &status) == 0) return false;
    if (at.find('/') == std::string::npos) return true;
  }
}

Expected<void> Server::wait_started(const WaitLimit& limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, limit.stop, limit.deadline, [&] { return state_ != State::kStarting; });
  if (state_ == State::kRunning) return {};
  if (state_ == State::kEnded) return fail(end_error_);
  if (limit.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The call was cancelled.");
  return fail(ErrorCode::kTimeout, concat("The language server ", options_.spec.name, " is still starting."),
              "Try again in a moment.", JsonObject{{"state", "starting"}});
}

void Server::note_end(const std::string& reason, EndedBy by) {
  std::string output;
  {
    const std::lock_guard lock(parts_mutex_);
    // A server that closed its output is about to exit; its stderr may still explain why.
    if (process_ && by == EndedBy::kServer) process_->wait({.deadline = Clock::now() + kStderrTime});
    if (process_) output = process_->stderr_tail();
  }
  const std::lock_guard lock(mutex_);
  if (state_ == State::kEnded) return;
  state_ = State::kEnded;
  end_error_ = {.code = ErrorCode::kUnavailable,
                .message = concat("The language server ", options_.spec.name,
                                  initialized_ ? " crashed. " : " did not start. ", reason,
                                  output.empty() ? "" : concat(" Last output: ", shortened(output, 400))),
                .details = JsonObject{{"state", initialized_ ? "crashed" : "unavailable"},
                                      {"server", options_.spec.name}},
                .kind = initialized_ ? ErrorKind::kServerCrashed : ErrorKind::kNone};
  changed_.notify_all();
}

void Server::end(const std::string& reason) {
  EndedBy by = EndedBy::kHelve;
  {
    const std::lock_guard lock(parts_mutex_);
    if (connection_) by = connection_->ended_by();
  }
  note_end(reason, by);
  const std::lock_guard lock(parts_mutex_);
  if (connection_) connection_->end(reason);
  if (process_) process_->kill();
}

Documents::SyncState Server::sync_state() const {
  const std::lock_guard lock(mutex_);
  return {generation_, push_count_};
}

void Server::expect_work(std::size_t opened_before) {
  const std::size_t opened = documents_->opened_so_far();
  if (opened == opened_before) return;
  readiness_.expect_work(opened_before == 0 ? kFirstOpenPause : kLaterOpenPause);
}

void Server::send_disk_changes(const std::vector<DiskChange>& changes) {
  JsonArray events;
  for (const DiskChange& change : changes)
    events.push_back(JsonObject{{"uri", file_uri(change.path)}, {"type", static_cast<int>(change.kind)}});
  connection_->notify("workspace/didChangeWatchedFiles", JsonObject{{"changes", std::move(events)}});
  if (!options_.spec.ignores_watched_files) return;
  // Such servers notice only open documents, and saves, which make them check included files again.
  std::size_t opened = 0;
  for (const DiskChange& change : changes) {
    if (change.kind == DiskChange::Kind::kDeleted || documents_->is_open(change.path)) continue;
    if (!options_.spec.serves(change.path) || ++opened > kMostOpenedForChanges) continue;
    static_cast<void>(documents_->open(change.path, sync_state()));
  }
  if (const std::string uri = documents_->any_uri(); !uri.empty())
    connection_->notify("textDocument/didSave", JsonObject{{"textDocument", JsonObject{{"uri", uri}}}});
}

// Requires documents_mutex_.
Expected<void> Server::synchronise(const WaitLimit& limit) {
  const auto changes = watch_.check(limit);
  if (!changes) return fail(changes.error());
  if (!changes->empty()) {
    const std::lock_guard lock(mutex_);
    ++generation_;
  }
  documents_->refresh(sync_state());
  if (!changes->empty()) send_disk_changes(*changes);
  return {};
}

Expected<Document> Server::prepare(const std::string& path, const WaitLimit& limit) {
  if (auto started = wait_started(limit); !started) return fail(started.error());
  const std::lock_guard documents_lock(documents_mutex_);
  {
    const std::lock_guard lock(mutex_);
    last_used_ = Clock::now();
  }
  const std::size_t opened = documents_->opened_so_far();
  if (auto synchronised = synchronise(limit); !synchronised) return fail(synchronised.error());
  auto document = documents_->open(path, sync_state());
  expect_work(opened);
  return document;
}

Expected<std::vector<Document>> Server::prepare_all(const std::vector<std::string>& paths,
                                                    const WaitLimit& limit) {
  if (auto started = wait_started(limit); !started) return fail(started.error());
  const std::lock_guard documents_lock(documents_mutex_);
  {
    const std::lock_guard lock(mutex_);
    last_used_ = Clock::now();
  }
  const std::size_t opened = documents_->opened_so_far();
  if (auto synchronised = synchronise(limit); !synchronised) return fail(synchronised.error());
  std::vector<Document> documents;
  for (const std::string& path : paths)
    if (auto document = documents_->open(path, sync_state())) documents.push_back(*std::move(document));
  expect_work(opened);
  return documents;
}

Expected<Document> Server::prepare_as(const FileText& file, const WaitLimit& limit) {
  auto documents = prepare_all_as({file}, limit);
  if (!documents) return fail(documents.error());
  return std::move(documents->front());
}

Expected<std::vector<Document>> Server::prepare_all_as(const std::vector<FileText>& files,
                                                       const WaitLimit& limit) {
  if (auto started = wait_started(limit); !started) return fail(started.error());
  const std::lock_guard documents_lock(documents_mutex_);
  const std::size_t opened = documents_->opened_so_far();
  if (auto synchronised = synchronise(limit); !synchronised) return fail(synchronised.error());
  {
    // Diagnostics of one file no longer hold when another has a new text.
    const std::lock_guard lock(mutex_);
    if (files.size() > 1) ++generation_;
  }
  std::vector<Document> documents;
  for (const FileText& file : files) documents.push_back(documents_->open_as(file, sync_state()));
  expect_work(opened);
  return documents;
}

bool Server::wait_ready(const WaitLimit& limit) {
  return readiness_.wait(limit.at_most(options_.ready_time));
}

Expected<Json> Server::ask(std::string_view method, const Json& params, const WaitLimit& limit) {
  const Counted counted(asked_);
  if (auto started = wait_started(limit); !started) return fail(started.error());
  const WaitLimit bounded = limit.at_most(options_.answer_time);
  constexpr int kContentModified = -32801;
  constexpr int kServerCancelled = -32802;
  constexpr int kTries = 4;
  for (int attempt = 1;; ++attempt) {
    auto result = connection_->request(method, params, bounded);
    if (result) {
      const std::lock_guard lock(mutex_);
      silent_timeouts_ = 0;
      last_used_ = Clock::now();
      return result;
    }
    if (result.error().code == ErrorCode::kUnavailable) {
      note_end(std::string(kServerExited), EndedBy::kServer);
      return fail(end_error());
    }
    const Json* code = result.error().details.find("code");
    const bool is_transient =
        code != nullptr && (*code == Json(kContentModified) || *code == Json(kServerCancelled));
    if (is_transient && attempt < kTries && !bounded.is_over()) {
      std::this_thread::sleep_for(milliseconds(50 * attempt));
      continue;
    }
    // Reaching the caller's own, shorter limit does not mean that the server hangs.
    if (result.error().code != ErrorCode::kTimeout || limit.deadline <= bounded.deadline) return result;
    const std::uint64_t messages = connection_->messages_received();
    bool hangs = false;
    {
      const std::lock_guard lock(mutex_);
      hangs = silent_timeouts_ > 0 && messages == messages_at_timeout_;
      ++silent_timeouts_;
      messages_at_timeout_ = messages;
    }
    if (hangs) end("It stopped responding.");
    return result;
  }
}

Expected<std::vector<Location>> Server::definitions(const std::string& path, const Position& position,
                                                    const WaitLimit& limit) {
  const auto answer = ask("textDocument/definition", position_params(path, position), limit);
  if (!answer) return fail(answer.error());
  return read_locations(*answer);
}

Server::EditCollector::EditCollector(Server& server) : server_(server) {
  const std::lock_guard lock(server_.mutex_);
  ++server_.collectors_;
}

Server::EditCollector::~EditCollector() {
  const std::lock_guard lock(server_.mutex_);
  if (--server_.collectors_ == 0) server_.collected_edits_.clear();
}

std::vector<Json> Server::EditCollector::take() {
  const std::lock_guard lock(server_.mutex_);
  return std::exchange(server_.collected_edits_, {});
}

namespace {

// Maximum pause between two tasks that belong together.
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

void Readiness::begin(const std::string& token, std::string title) {
  const std::lock_guard lock(mutex_);
  works_[token] = std::move(title);
  changed_.notify_all();
}

void Readiness::end(const std::string& token) {
  const std::lock_guard lock(mutex_);
  if (works_.erase(token) == 0) return;
  quiet_from_ = Clock::now() + kPause;
  changed_.notify_all();
}

void Readiness::expect_work(std::chrono::milliseconds time) {
  const std::lock_guard lock(mutex_);
  quiet_from_ = std::max(quiet_from_, Clock::now() + time);
}

bool Readiness::wait(const WaitLimit& limit) {
  std::unique_lock lock(mutex_);
  while (!limit.is_over()) {
    if (works_.empty() && Clock::now() >= quiet_from_) return true;
    const Clock::time_point until = works_.empty() ? std::min(quiet_from_, limit.deadline) : limit.deadline;
    const bool idle = works_.empty();
    changed_.wait_until(lock, limit.stop, until, [&] { return works_.empty() != idle; });
  }
  return works_.empty() && Clock::now() >= quiet_from_;
}

bool Readiness::is_busy() const {
  const std::lock_guard lock(mutex_);
  return !works_.empty();
}

std::string Readiness::work() const {
  const std::lock_guard lock(mutex_);
  return works_.empty() ? std::string() : works_.begin()->second;
}

}  // namespace helve::lsp
