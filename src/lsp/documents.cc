#include "lsp/documents.h"

#include <algorithm>
#include <chrono>

#include "base/file_uri.h"
#include "base/strings.h"
#include "lsp/server_spec.h"
#include "text/text_encoding.h"

namespace helve::lsp {
namespace {

// More than any ServerSpec::most_opened, so that the files of one question stay open together.
constexpr std::size_t kMaxOpen = 200;
constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
// File timestamps are coarse: a file written just before it was read may have been written again since.
constexpr std::int64_t kTimestampSlackNs = 100'000'000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Expected<FileText> read_file_text(const workspace::Root& workspace, std::string_view path) {
  const auto file = workspace.open_read(path);
  if (!file) return fail(file.error());
  if (file->size() > kMaxFileBytes)
    return fail(ErrorCode::kInvalidArgument,
                concat(file->path, " is too large for a language server (", file->size() >> 20, " MiB)."),
                "Use grep and read instead.");
  const auto bytes = workspace::read_content(*file, kMaxFileBytes + 1);
  if (!bytes) return fail(bytes.error());
  const text::TextEncoding encoding = text::detect_encoding(*bytes);
  if (!encoding.is_text()) return fail(ErrorCode::kInvalidArgument, concat(file->path, " is a binary file."));
  return FileText{file->path.starts_with('/') ? file->path : concat(workspace.path(), "/", file->path),
                  text::decode(text::without_bom(*bytes, encoding), encoding),
                  workspace::identity_of(file->status)};
}

Expected<Document> Documents::open(std::string_view path, const SyncState& state) {
  auto file = read_file_text(workspace_, path);
  if (!file) return fail(file.error());
  return put(*file, state);
}

Document Documents::open_as(const FileText& file, const SyncState& state) {
  Document document = put(file, state);
  open_[document.path].identity = {};  // forces the next refresh to read the file
  open_[document.path].read_at_ns = 0;
  return document;
}

Document Documents::put(const FileText& file, const SyncState& state) {
  const auto known = open_.find(file.path);
  if (known != open_.end()) {
    Entry& entry = known->second;
    entry.identity = file.identity;
    entry.read_at_ns = now_ns();
    entry.used = ++clock_;
    if (*entry.document.text != file.text) {
      entry.document.text = std::make_shared<const std::string>(file.text);
      send_change(entry, state, false);
    }
    return entry.document;
  }
  close_unused();
  Document document{.path = file.path,
                    .uri = file_uri(file.path),
                    .text = std::make_shared<const std::string>(file.text),
                    .version = 1,
                    .generation = state.generation,
                    .push_mark = state.push_mark};
  connection_.notify(
      "textDocument/didOpen",
      JsonObject{{"textDocument", JsonObject{{"uri", document.uri},
                                             {"languageId", language_id(file.path, file.text.substr(0, 200))},
                                             {"version", document.version},
                                             {"text", file.text}}}});
  ++opened_;
  open_.emplace(file.path, Entry{document, file.identity, now_ns(), ++clock_});
  return document;
}

void Documents::send_change(Entry& entry, const SyncState& state, bool force_rebuild) {
  Document& document = entry.document;
  ++document.version;
  document.generation = state.generation;
  document.push_mark = state.push_mark;
  JsonObject params{{"textDocument", JsonObject{{"uri", document.uri}, {"version", document.version}}},
                    {"contentChanges", JsonArray{JsonObject{{"text", *document.text}}}}};
  if (force_rebuild) params.append("forceRebuild", true);
  connection_.notify("textDocument/didChange", std::move(params));
}

Document Documents::touch(const std::string& path, const SyncState& state, bool force_rebuild) {
  Entry& entry = open_[path];
  send_change(entry, state, force_rebuild);
  return entry.document;
}

std::size_t Documents::refresh(const SyncState& state) {
  std::size_t changed = 0;
  std::vector<std::string> gone;
  for (auto& [path, entry] : open_) {
    const auto status = workspace_.stat(path);
    if (!status) {
      gone.push_back(path);
      continue;
    }
    const workspace::FileIdentity identity = workspace::identity_of(status->status);
    if (identity == entry.identity && identity.changed_ns + kTimestampSlackNs < entry.read_at_ns) continue;
    const auto file = read_file_text(workspace_, path);
    if (!file) {
      gone.push_back(path);
      continue;
    }
    entry.identity = file->identity;
    entry.read_at_ns = now_ns();
    if (*entry.document.text == file->text) continue;
    entry.document.text = std::make_shared<const std::string>(file->text);
    send_change(entry, state, false);
    ++changed;
  }
  for (const std::string& path : gone) close(path);
  return changed + gone.size();
}

void Documents::close(const std::string& path) {
  connection_.notify("textDocument/didClose",
                     JsonObject{{"textDocument", JsonObject{{"uri", open_[path].document.uri}}}});
  open_.erase(path);
}

void Documents::close_unused() {
  while (open_.size() >= kMaxOpen) {
    const auto oldest =
        std::ranges::min_element(open_, {}, [](const auto& each) { return each.second.used; });
    close(std::string(oldest->first));
  }
}

}  // namespace helve::lsp
