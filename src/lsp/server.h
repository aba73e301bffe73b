// One language server process for one project: its start, synchronisation with the disk, requests and end.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lsp/connection.h"
#include "lsp/disk_watch.h"
#include "lsp/documents.h"
#include "lsp/find_server.h"
#include "lsp/protocol.h"
#include "lsp/server_process.h"
#include "lsp/server_spec.h"

namespace helve::lsp {

// Tracks the server's progress reports, to know whether its answers are complete. Thread-safe.
class Readiness {
 public:
  // From `$/progress` and similar notifications.
  void begin(const std::string& token, std::string title);
  void end(const std::string& token);
  // A message was sent that may start work; the server has this long to report it.
  void expect_work(std::chrono::milliseconds time);

  // Returns true when the server is idle.
  [[nodiscard]] bool wait(const WaitLimit& limit);
  [[nodiscard]] bool is_busy() const;
  [[nodiscard]] std::string work() const;  // "Indexing"; empty when idle

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::string> works_;
  Clock::time_point quiet_from_ = {};  // until then, no progress report does not mean idle
};

// The errors and warnings of a document with exactly this text.
struct Diagnosis {
  Document document;
  std::vector<Diagnostic> diagnostics;
};

// The files that a program of the workspace must not read at the time of the call.
using HiddenFinder = std::function<Expected<std::vector<std::string>>()>;

// Shared by Servers and running queries. All public functions are thread-safe.
class Server {
 public:
  struct Options {
    ServerSpec spec;
    FoundProgram program;
    std::string project_root;
    const workspace::Root* workspace = nullptr;  // must outlive this object
    std::string launcher;
    // How long it may take to start, to index its project, and to answer.
    std::chrono::seconds start_time{30};
    std::chrono::seconds ready_time{15};
    std::chrono::seconds answer_time{30};
    HiddenFinder hidden = {};  // from programs that come with the workspace
  };

  // Starts in the background.
  explicit Server(Options options);
  // Shuts the server down, or kills it.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  enum class State { kStarting, kRunning, kEnded };
  [[nodiscard]] State state() const;
  // Fails with TIMEOUT while it is still starting, or with the reason why it did not start or ended.
  [[nodiscard]] Expected<void> wait_started(const WaitLimit& limit);
  [[nodiscard]] Error end_error() const;
  // Whether the server ever answered `initialize`.
  [[nodiscard]] bool was_initialized() const { return initialized_; }
  // Kills the server. `reason` becomes part of end_error().
  void end(const std::string& reason);

  // Sends the changes on disk and opens the document with its current text.
  [[nodiscard]] Expected<Document> prepare(const std::string& path, const WaitLimit& limit);
  // The same with another text.
  [[nodiscard]] Expected<Document> prepare_as(const FileText& file, const WaitLimit& limit);
  // The next question that looks at the disk sends the files' own texts again.
  [[nodiscard]] Expected<std::vector<Document>> prepare_all_as(const std::vector<FileText>& files,
                                                               const WaitLimit& limit);
  // Opens several files after a single look at the disk. Files that cannot be read are left out.
  [[nodiscard]] Expected<std::vector<Document>> prepare_all(const std::vector<std::string>& paths,
                                                            const WaitLimit& limit);
  // Returns false if the server is still indexing, so that answers are partial.
  [[nodiscard]] bool wait_ready(const WaitLimit& limit);
  // Sends a request. A server that stays silent for too long is killed, so that the next request starts a new
  // one.
  [[nodiscard]] Expected<Json> ask(std::string_view method, const Json& params, const WaitLimit& limit);
  // Where the symbol at a position of an open file is defined.
  [[nodiscard]] Expected<std::vector<Location>> definitions(const std::string& path, const Position& position,
                                                            const WaitLimit& limit);
  // Fails with TIMEOUT if no diagnostics arrive for exactly this text.
  [[nodiscard]] Expected<Diagnosis> diagnose(const Document& document, const WaitLimit& limit);
  // While one exists, edits requested by the server are collected instead of refused.
  class EditCollector;

  [[nodiscard]] bool can(std::string_view capability) const;  // "renameProvider"
  [[nodiscard]] const ServerSpec& spec() const { return options_.spec; }
  [[nodiscard]] const FoundProgram& program() const { return options_.program; }
  [[nodiscard]] const std::string& project_root() const { return options_.project_root; }
  [[nodiscard]] const workspace::Root& workspace() const { return *options_.workspace; }
  [[nodiscard]] ColumnUnit unit() const { return unit_; }
  [[nodiscard]] std::string version() const;
  [[nodiscard]] std::string work() const { return readiness_.work(); }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] Clock::time_point last_used() const;
  [[nodiscard]] bool is_asked() const { return asked_ > 0; }
  [[nodiscard]] bool lacks_compile_commands() const;

 private:
  struct Pushed {
    std::optional<int> version;
    std::uint64_t number = 0;  // counted across all files
    Clock::time_point time;
    std::vector<Diagnostic> diagnostics;
  };

  void start();
  Expected<void> start_process();
  Expected<void> initialize();
  [[nodiscard]] Json initialize_params() const;
  [[nodiscard]] Json settings() const;
  void take_capabilities(const Json& result);
  std::expected<Json, rpc::Failure> answer(const rpc::Request& request);
  [[nodiscard]] Json configuration(const Json& params) const;
  void handle_notification(const rpc::Notification& notification);
  void handle_progress(const Json& params);
  void handle_diagnostics(const Json& params);
  void note_end(const std::string& reason, EndedBy by = EndedBy::kHelve);
  Expected<void> synchronise(const WaitLimit& limit);
  void send_disk_changes(const std::vector<DiskChange>& changes);
  void expect_work(std::size_t opened_before);
  [[nodiscard]] Documents::SyncState sync_state() const;
  Expected<std::vector<Diagnostic>> pull(const Document& document, const WaitLimit& limit);
  Expected<std::vector<Diagnostic>> ask_tsserver(const Document& document, const WaitLimit& limit);
  Expected<std::vector<Diagnostic>> await_push(const Document& document, const WaitLimit& limit);
  [[nodiscard]] bool pulls_diagnostics() const;
  [[nodiscard]] bool is_registered(std::string_view method) const;  // requires mutex_

  const Options options_;
  Readiness readiness_;
  std::atomic<bool> initialized_ = false;
  std::atomic<ColumnUnit> unit_ = ColumnUnit::kUtf16;
  std::atomic<int> asked_ = 0;  // running requests

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  State state_ = State::kStarting;
  Error end_error_;
  Json capabilities_;
  std::string version_;
  std::map<std::string, std::string> registered_;  // methods by registration id
  std::map<std::string, Pushed> pushed_;
  std::uint64_t push_count_ = 0;
  std::uint64_t generation_ = 0;
  Clock::time_point last_used_ = Clock::now();
  int silent_timeouts_ = 0;
  std::uint64_t messages_at_timeout_ = 0;
  int collectors_ = 0;
  std::vector<Json> collected_edits_;

  std::mutex documents_mutex_;  // guards the next two; lock it before mutex_
  std::optional<Documents> documents_;
  DiskWatch watch_;

  mutable std::mutex parts_mutex_;  // guards the two pointers
  std::unique_ptr<ServerProcess> process_;
  std::unique_ptr<Connection> connection_;

  std::jthread starter_;
};

class Server::EditCollector {
 public:
  explicit EditCollector(Server& server);
  ~EditCollector();
  EditCollector(const EditCollector&) = delete;
  EditCollector& operator=(const EditCollector&) = delete;
  [[nodiscard]] std::vector<Json> take();

 private:
  Server& server_;
};

}  // namespace helve::lsp
