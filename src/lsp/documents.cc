#include "lsp/documents.h"

#include <algorithm>
#include <chrono>

#include "base/file_uri.h"
#include "base/strings.h"
#include "lsp/server_spec.h"
#include "workspace/text_encoding.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kMostOpen = 64;
constexpr std::size_t kLargestFile = std::size_t{16} << 20;
// Clocks of file systems are coarse: what was written just before it was read may have been written again.
constexpr std::int64_t kDoubtNs = 100'000'000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Expected<FileText> read_file_text(const Root& workspace, std::string_view path) {
  const auto file = workspace.open_read(path);
  if (!file) return fail(file.error());
  if (file->size() > kLargestFile)
    return fail(ErrorCode::kInvalidArgument,
                concat(file->path, " is too large for a language server (", file->size() >> 20, " MiB)."),
                "Use grep and read for such a file.");
  const auto bytes = read_content(*file, kLargestFile + 1);
  if (!bytes) return fail(bytes.error());
  const TextEncoding encoding = detect_encoding(*bytes);
  if (!encoding.is_text())
    return fail(ErrorCode::kInvalidArgument,
                concat(file->path, " is a binary file, which no language server understands."));
  return FileText{file->path.starts_with('/') ? file->path : concat(workspace.path(), "/", file->path),
                  decode(without_bom(*bytes, encoding), encoding), identity_of(file->status)};
}

Expected<Document> Documents::open(std::string_view path, const World& world) {
  auto file = read_file_text(workspace_, path);
  if (!file) return fail(file.error());
  return put(*file, world);
}

Document Documents::open_as(const FileText& file, const World& world) {
  Document document = put(file, world);
  open_[document.path].identity = {};  // not the file's: to be read again
  open_[document.path].read_at_ns = 0;
  return document;
}

Document Documents::put(const FileText& file, const World& world) {
  const auto known = open_.find(file.path);
  if (known != open_.end()) {
    Entry& entry = known->second;
    entry.identity = file.identity;
    entry.read_at_ns = now_ns();
    entry.used = ++clock_;
    if (*entry.document.text != file.text) {
      entry.document.text = std::make_shared<const std::string>(file.text);
      tell_change(entry, world, false);
    }
    return entry.document;
  }
  close_unused();
  Document document{.path = file.path,
                    .uri = file_uri(file.path),
                    .text = std::make_shared<const std::string>(file.text),
                    .version = 1,
                    .generation = world.generation,
                    .push_mark = world.push_mark};
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

void Documents::tell_change(Entry& entry, const World& world, bool force_rebuild) {
  Document& document = entry.document;
  ++document.version;
  document.generation = world.generation;
  document.push_mark = world.push_mark;
  JsonObject params{{"textDocument", JsonObject{{"uri", document.uri}, {"version", document.version}}},
                    {"contentChanges", JsonArray{JsonObject{{"text", *document.text}}}}};
  if (force_rebuild) params.append("forceRebuild", true);
  connection_.notify("textDocument/didChange", std::move(params));
}

Document Documents::touch(const std::string& path, const World& world, bool force_rebuild) {
  Entry& entry = open_[path];
  tell_change(entry, world, force_rebuild);
  return entry.document;
}

std::size_t Documents::refresh(const World& world) {
  std::size_t changed = 0;
  std::vector<std::string> gone;
  for (auto& [path, entry] : open_) {
    const auto status = workspace_.stat(path);
    if (!status) {
      gone.push_back(path);
      continue;
    }
    const FileIdentity identity = identity_of(status->status);
    if (identity == entry.identity && identity.changed_ns + kDoubtNs < entry.read_at_ns) continue;
    const auto file = read_file_text(workspace_, path);
    if (!file) {
      gone.push_back(path);
      continue;
    }
    entry.identity = file->identity;
    entry.read_at_ns = now_ns();
    if (*entry.document.text == file->text) continue;
    entry.document.text = std::make_shared<const std::string>(file->text);
    tell_change(entry, world, false);
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
  while (open_.size() >= kMostOpen) {
    const auto oldest =
        std::ranges::min_element(open_, {}, [](const auto& each) { return each.second.used; });
    close(std::string(oldest->first));
  }
}

}  // namespace helve::lsp
