// The documents that are open in a language server, and their text as the server has it.
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

// A document as it was when somebody asked. A value.
struct Document {
  std::string path;  // absolute and resolved
  std::string uri;
  std::shared_ptr<const std::string> text;  // UTF-8, without a byte order mark
  int version = 0;
  std::uint64_t generation = 0;  // of the world, when the server was last told this text
  std::uint64_t push_mark = 0;   // how many diagnostics had come by then
};

// The content of a file of the workspace as servers get it. INVALID_ARGUMENT for binary and huge files.
struct FileText {
  std::string path;  // absolute and resolved
  std::string text;
  FileIdentity identity;
};
[[nodiscard]] Expected<FileText> read_file_text(const Root& workspace, std::string_view path);

// Owned by a server, whose lock protects it. Nothing is ever opened twice, each change has the next version,
// and what was not used for long is closed when there are many.
class Documents {
 public:
  Documents(const Root& workspace, Connection& connection) : workspace_(workspace), connection_(connection) {}

  struct World {
    std::uint64_t generation = 0;
    std::uint64_t push_mark = 0;
  };

  // The file as it is now, open in the server.
  [[nodiscard]] Expected<Document> open(std::string_view path, const World& world);
  // The same with another text than the file has; the next open() brings the file's back.
  Document open_as(const FileText& file, const World& world);
  // Tells the same text again, so that the server looks at it anew.
  [[nodiscard]] Document touch(const std::string& path, const World& world, bool force_rebuild);
  // Tells what changed on disk of all open ones; how many did.
  std::size_t refresh(const World& world);
  [[nodiscard]] bool is_open(const std::string& path) const { return open_.contains(path); }
  [[nodiscard]] bool empty() const { return open_.empty(); }
  [[nodiscard]] std::size_t opened_so_far() const { return opened_; }
  // Some open document; empty when there is none.
  [[nodiscard]] std::string any_uri() const {
    return open_.empty() ? "" : open_.begin()->second.document.uri;
  }

 private:
  struct Entry {
    Document document;
    FileIdentity identity;
    std::int64_t read_at_ns = 0;
    std::uint64_t used = 0;
  };
  Document put(const FileText& file, const World& world);
  void tell_change(Entry& entry, const World& world, bool force_rebuild);
  void close(const std::string& path);
  void close_unused();

  const Root& workspace_;
  Connection& connection_;
  std::map<std::string, Entry> open_;
  std::uint64_t clock_ = 0;
  std::size_t opened_ = 0;
};

}  // namespace helve::lsp
