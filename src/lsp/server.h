// One running language server for one project: started, kept in step with the disk, asked, ended.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "helve/settings.h"
#include "lsp/connection.h"
#include "lsp/disk_watch.h"
#include "lsp/documents.h"
#include "lsp/find_server.h"
#include "lsp/protocol.h"
#include "lsp/readiness.h"
#include "lsp/server_process.h"
#include "lsp/server_spec.h"

namespace helve::lsp {

// The errors and warnings of a document, which are of exactly this text.
struct Diagnosis {
  Document document;
  std::vector<Diagnostic> diagnostics;
};

// Shared by Servers and the questions that run. All public functions may be called from all threads.
class Server {
 public:
  struct Options {
    ServerSpec spec;
    FoundProgram program;
    std::string project_root;
    const Root* workspace = nullptr;  // outlives it
    std::string launcher;
    Settings::Lsp limits;
    std::vector<std::string> hidden;  // for programs of the workspace
  };

  // Starts in the background.
  explicit Server(Options options);
  // Asks it to end, and ends it.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  enum class State { kStarting, kRunning, kEnded };
  [[nodiscard]] State state() const;
  // TIMEOUT while it is still starting; why it could not start, or ended.
  [[nodiscard]] Expected<void> wait_started(const Patience& patience);
  [[nodiscard]] Error end_error() const;
  // Whether it ever answered initialize: only then it counts as available.
  [[nodiscard]] bool was_initialized() const { return initialized_; }
  // Ends it for a reason.
  void end(const std::string& reason);

  // Tells it what changed on disk, and opens the document as it is now.
  [[nodiscard]] Expected<Document> prepare(const std::string& path, const Patience& patience);
  // The same with a text that the file had or will have.
  [[nodiscard]] Expected<Document> prepare_as(const FileText& file, const Patience& patience);
  // False when it still reads the project, so that answers are partial.
  [[nodiscard]] bool wait_ready(const Patience& patience);
  // One question. Too long a silence ends the server, so that the next question gets a new one.
  [[nodiscard]] Expected<Json> ask(std::string_view method, const Json& params, const Patience& patience);
  // TIMEOUT when none came for this very text. What was prepared before stays prepared.
  [[nodiscard]] Expected<Diagnosis> diagnose(const Document& document, const Patience& patience);
  // Edits that it asks to be made while this lives are collected instead of refused.
  class EditCollector;

  [[nodiscard]] bool can(std::string_view capability) const;  // "renameProvider"
  [[nodiscard]] const ServerSpec& spec() const { return options_.spec; }
  [[nodiscard]] const FoundProgram& program() const { return options_.program; }
  [[nodiscard]] const std::string& project_root() const { return options_.project_root; }
  [[nodiscard]] const Root& workspace() const { return *options_.workspace; }
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
    std::uint64_t number = 0;  // counted over all files
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
  void hear(const rpc::Notification& notification);
  void hear_progress(const Json& params);
  void hear_diagnostics(const Json& params);
  void note_end(const std::string& reason);
  Expected<void> synchronise(const Patience& patience);
  void tell_disk_changes(const std::vector<DiskChange>& changes);
  void expect_work(std::size_t opened_before);
  [[nodiscard]] Documents::World world() const;
  Expected<std::vector<Diagnostic>> pull(const Document& document, const Patience& patience);
  Expected<std::vector<Diagnostic>> ask_tsserver(const Document& document, const Patience& patience);
  Expected<std::vector<Diagnostic>> await_push(const Document& document, const Patience& patience);
  [[nodiscard]] bool pulls_diagnostics() const;
  [[nodiscard]] bool is_registered(std::string_view method) const;  // with mutex_ held

  const Options options_;
  Readiness readiness_;
  std::atomic<bool> initialized_ = false;
  std::atomic<ColumnUnit> unit_ = ColumnUnit::kUtf16;
  std::atomic<int> asked_ = 0;  // questions that run

  mutable std::mutex mutex_;  // guards these
  std::condition_variable_any changed_;
  State state_ = State::kStarting;
  Error end_error_;
  Json capabilities_;
  std::string version_;
  std::map<std::string, std::string> registered_;  // methods by the id of their registration
  std::map<std::string, Pushed> pushed_;
  std::uint64_t push_count_ = 0;
  std::uint64_t generation_ = 0;
  Clock::time_point last_used_ = Clock::now();
  int silent_timeouts_ = 0;
  std::uint64_t messages_at_timeout_ = 0;
  int collectors_ = 0;
  std::vector<Json> collected_edits_;

  std::mutex documents_mutex_;  // before mutex_, when both are needed; guards the next two
  std::optional<Documents> documents_;
  DiskWatch watch_;

  mutable std::mutex parts_mutex_;  // guards whether these are there
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
