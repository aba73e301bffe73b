// Tracks the documents that are open in a language server and their text as the server has it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "helve/error.h"
#include "lsp/connection.h"
#include "workspace/file_state.h"
#include "workspace/root.h"

namespace helve::lsp {

// A snapshot of an open document.
struct Document {
  std::string path;  // absolute and resolved
  std::string uri;
  std::shared_ptr<const std::string> text;  // UTF-8, without a byte order mark
  int version = 0;
  std::uint64_t generation = 0;  // of the project when this text was last sent
  std::uint64_t push_mark = 0;   // diagnostics received before this text was sent
};

// A workspace file as it is sent to servers. Reading binary or huge files fails with INVALID_ARGUMENT.
struct FileText {
  std::string path;  // absolute and resolved
  std::string text;
  workspace::FileIdentity identity;
};
[[nodiscard]] Expected<FileText> read_file_text(const workspace::Root& workspace, std::string_view path);

// Owned and locked by a Server. A document is opened at most once, each change increments its version, and
// the least recently used documents are closed when there are many.
class Documents {
 public:
  Documents(const workspace::Root& workspace, Connection& connection)
      : workspace_(workspace), connection_(connection) {}

  struct SyncState {
    std::uint64_t generation = 0;
    std::uint64_t push_mark = 0;
  };

  // Opens the file in the server with its current content.
  [[nodiscard]] Expected<Document> open(std::string_view path, const SyncState& state);
  // Opens the file with a different text. The next open() sends the file's own text again.
  Document open_as(const FileText& file, const SyncState& state);
  // Sends the same text again, so that the server analyses it again.
  [[nodiscard]] Document touch(const std::string& path, const SyncState& state, bool force_rebuild);
  // Sends the changes on disk of all open documents and returns their number.
  std::size_t refresh(const SyncState& state);
  [[nodiscard]] bool is_open(const std::string& path) const { return open_.contains(path); }
  [[nodiscard]] bool empty() const { return open_.empty(); }
  [[nodiscard]] std::size_t opened_so_far() const { return opened_; }
  // The URI of any open document; empty if none is open.
  [[nodiscard]] std::string any_uri() const {
    return open_.empty() ? "" : open_.begin()->second.document.uri;
  }

 private:
  struct Entry {
    Document document;
    workspace::FileIdentity identity;
    std::int64_t read_at_ns = 0;
    std::uint64_t used = 0;
  };
  Document put(const FileText& file, const SyncState& state);
  void send_change(Entry& entry, const SyncState& state, bool force_rebuild);
  void close(const std::string& path);
  void close_unused();

  const workspace::Root& workspace_;
  Connection& connection_;
  std::map<std::string, Entry> open_;
  std::uint64_t clock_ = 0;
  std::size_t opened_ = 0;
};

}  // namespace helve::lsp
