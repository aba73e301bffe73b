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
constexpr auto kLastWordsTime = milliseconds(500);
// After its first document a server loads the project, and takes a moment to say so.
constexpr auto kFirstOpenPause = milliseconds(400);
constexpr auto kLaterOpenPause = milliseconds(60);
constexpr std::size_t kMostOpenedForChanges = 20;

// Counts a question while it runs.
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
    const Patience patience{.deadline = Clock::now() + kShutDownTime};
    if (connection->request("shutdown", {}, patience)) {
      connection->notify("exit", {});
      connection->flush(patience);
      process->wait({.deadline = Clock::now() + kExitTime});
    }
  }
  end("It was ended.");
  starter_.join();
  connection_.reset();  // its thread uses everything else
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
  struct stat status{};
  for (const std::string_view name :
       {"compile_commands.json", "build/compile_commands.json", "compile_flags.txt", ".clangd"})
    if (::stat(concat(options_.project_root, "/", name).c_str(), &status) == 0) return false;
  return true;
}

Expected<void> Server::wait_started(const Patience& patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, patience.stop, patience.deadline, [&] { return state_ != State::kStarting; });
  if (state_ == State::kRunning) return {};
  if (state_ == State::kEnded) return fail(end_error_);
  if (patience.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The call was cancelled.");
  return fail(ErrorCode::kTimeout, concat("The language server ", options_.spec.name, " is still starting."),
              "Try again in a moment.", JsonObject{{"state", "starting"}});
}

void Server::note_end(const std::string& reason) {
  std::string words;
  {
    const std::lock_guard lock(parts_mutex_);
    // One that closed its output is about to end, and what it says about that comes by another way.
    if (process_ && reason.ends_with(kItEnded)) process_->wait({.deadline = Clock::now() + kLastWordsTime});
    if (process_) words = process_->last_words();
  }
  const std::lock_guard lock(mutex_);
  if (state_ == State::kEnded) return;
  state_ = State::kEnded;
  end_error_ = {
      ErrorCode::kUnavailable,
      concat("The language server ", options_.spec.name, initialized_ ? " crashed. " : " does not start. ",
             reason, words.empty() ? "" : concat(" Its last words: ", shortened(words, 400))),
      {},
      JsonObject{{"state", initialized_ ? "crashed" : "unavailable"}, {"server", options_.spec.name}}};
  changed_.notify_all();
}

void Server::end(const std::string& reason) {
  note_end(reason);
  const std::lock_guard lock(parts_mutex_);
  if (connection_) connection_->end(reason);
  if (process_) process_->kill();
}

Documents::World Server::world() const {
  const std::lock_guard lock(mutex_);
  return {generation_, push_count_};
}

void Server::expect_work(std::size_t opened_before) {
  const std::size_t opened = documents_->opened_so_far();
  if (opened == opened_before) return;
  readiness_.expect_work(opened_before == 0 ? kFirstOpenPause : kLaterOpenPause);
}

void Server::tell_disk_changes(const std::vector<DiskChange>& changes) {
  JsonArray events;
  for (const DiskChange& change : changes)
    events.push_back(JsonObject{{"uri", file_uri(change.path)}, {"type", static_cast<int>(change.kind)}});
  connection_->notify("workspace/didChangeWatchedFiles", JsonObject{{"changes", std::move(events)}});
  if (!options_.spec.ignores_watched_files) return;
  // It takes notice of what is open, and of saving, which makes it look at included files again.
  std::size_t opened = 0;
  for (const DiskChange& change : changes) {
    if (change.kind == DiskChange::Kind::kDeleted || documents_->is_open(change.path)) continue;
    if (!options_.spec.serves(change.path) || ++opened > kMostOpenedForChanges) continue;
    static_cast<void>(documents_->open(change.path, world()));
  }
  if (const std::string uri = documents_->any_uri(); !uri.empty())
    connection_->notify("textDocument/didSave", JsonObject{{"textDocument", JsonObject{{"uri", uri}}}});
}

// With documents_mutex_ held.
Expected<void> Server::synchronise(const Patience& patience) {
  const auto changes = watch_.look(patience);
  if (!changes) return fail(changes.error());
  if (!changes->empty()) {
    const std::lock_guard lock(mutex_);
    ++generation_;
  }
  documents_->refresh(world());
  if (!changes->empty()) tell_disk_changes(*changes);
  return {};
}

Expected<Document> Server::prepare(const std::string& path, const Patience& patience) {
  if (auto started = wait_started(patience); !started) return fail(started.error());
  const std::lock_guard documents_lock(documents_mutex_);
  {
    const std::lock_guard lock(mutex_);
    last_used_ = Clock::now();
  }
  const std::size_t opened = documents_->opened_so_far();
  if (auto told = synchronise(patience); !told) return fail(told.error());
  auto document = documents_->open(path, world());
  expect_work(opened);
  return document;
}

Expected<Document> Server::prepare_as(const FileText& file, const Patience& patience) {
  if (auto started = wait_started(patience); !started) return fail(started.error());
  const std::lock_guard documents_lock(documents_mutex_);
  const std::size_t opened = documents_->opened_so_far();
  if (auto told = synchronise(patience); !told) return fail(told.error());
  Document document = documents_->open_as(file, world());
  expect_work(opened);
  return document;
}

bool Server::wait_ready(const Patience& patience) {
  return readiness_.wait(patience.at_most(seconds(options_.limits.ready_seconds)));
}

Expected<Json> Server::ask(std::string_view method, const Json& params, const Patience& patience) {
  const Counted counted(asked_);
  if (auto started = wait_started(patience); !started) return fail(started.error());
  const Patience bounded = patience.at_most(seconds(options_.limits.answer_seconds));
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
      note_end(std::string(kItEnded));
      return fail(end_error());
    }
    const Json* code = result.error().details.find("code");
    const bool passing =
        code != nullptr && (*code == Json(kContentModified) || *code == Json(kServerCancelled));
    if (passing && attempt < kTries && !bounded.is_over()) {
      std::this_thread::sleep_for(milliseconds(50 * attempt));
      continue;
    }
    // The caller's own, shorter limit says nothing about the server.
    if (result.error().code != ErrorCode::kTimeout || patience.deadline <= bounded.deadline) return result;
    const std::uint64_t messages = connection_->messages_received();
    bool hangs = false;
    {
      const std::lock_guard lock(mutex_);
      hangs = silent_timeouts_ > 0 && messages == messages_at_timeout_;
      ++silent_timeouts_;
      messages_at_timeout_ = messages;
    }
    if (hangs) end("It did not say anything for too long.");
    return result;
  }
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

}  // namespace helve::lsp
