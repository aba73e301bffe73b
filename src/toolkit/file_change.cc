#include "toolkit/file_change.h"

#include "base/json_read.h"
#include "base/strings.h"
#include "core/engines.h"
#include "core/permission_question.h"
#include "core/session_state.h"
#include "helve/session.h"
#include "helve/settings/workspace.h"

namespace helve::toolkit {
namespace {

// Writing in place is the only way to keep a hard link or to write a mounted file, and a crash halfway can
// tear the file. The user decides.
Expected<void> ask_about_writing_in_place(const Context& context, std::string_view tool, const Error& error) {
  const Json* links = error.details.find("links");
  const bool is_linked = links == nullptr || *links != Json(1);
  PermissionRequest request{
      .call_id = context.call_id(),
      .tool = std::string(tool),
      .effect = Effect::kWrite,
      .arguments = JsonObject{{"path", string_in(error.details, "path")}, {"hardLinked", is_linked}}};
  auto settled = core::settle_within_call(
      context, std::move(request),
      is_linked
          ? "the file has other hard links, which change with it, and it cannot be replaced in one step"
          : "the file can only be written in place, and a crash halfway can leave a mixture of old and new");
  if (!settled) return fail(std::move(settled).error());
  return {};
}

std::string joined(const std::vector<std::string_view>& pieces) {
  std::string whole;
  for (const std::string_view piece : pieces) whole += piece;
  return whole;
}

void remember(const Context& context, const changes::Committed& committed,
              const std::vector<changes::FileChange>& changes) {
  workspace::ReadLog& log = session_state(context).read_log;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const changes::ChangedFile& file = committed.files[i];
    if (!file.old_path.empty()) log.forget(file.old_path);
    const bool gone = changes[i].kind == changes::FileChange::Kind::kRemove;
    std::size_t size = 0;
    if (changes[i].content)
      for (const std::string_view piece : *changes[i].content) size += piece.size();
    if (gone || !changes[i].content || size > workspace::ReadLog::Limits().file_bytes)
      log.forget(file.path);
    else
      log.remember(file.path, file.identity, joined(*changes[i].content));
  }
}

}  // namespace

Expected<LoadedFile> load_file(const Context& context, std::string_view path) {
  const auto file = context.engines().root.open_read(path);
  if (!file) return fail(file.error());
  const auto largest = static_cast<std::size_t>(context.engines().settings.workspace.largest_megabytes) << 20;
  auto bytes = workspace::read_content(*file, largest);
  if (!bytes) return fail(bytes.error());
  return LoadedFile{file->path, *std::move(bytes), workspace::identity_of(file->status),
                    file->status.st_mode & 0777};
}

Expected<LoadedText> load_text(const Context& context, std::string_view path) {
  auto file = load_file(context, path);
  if (!file) return fail(file.error());
  const text::TextFormat format = text::inspect_text(file->bytes);
  if (!format.encoding.is_text())
    return fail(ErrorCode::kInvalidArgument,
                concat(file->path, " is not a text file, so text in it cannot be replaced."),
                "Use exec with a program that knows this kind of file.");
  return LoadedText{*std::move(file), format};
}

Expected<changes::Committed> commit_changes(const Context& context, std::string_view tool,
                                            std::vector<changes::FileChange>& changes) {
  const changes::ChangeOrigin origin{context.session().id(), context.call_id(), std::string(tool)};
  auto committed = context.engines().changes->commit(origin, changes);
  if (!committed && committed.error().kind == ErrorKind::kHardLinked) {
    if (auto agreed = ask_about_writing_in_place(context, tool, committed.error()); !agreed)
      return fail(agreed.error());
    for (changes::FileChange& change : changes) change.hard_links = changes::HardLinks::kWriteInPlace;
    committed = context.engines().changes->commit(origin, changes);
  }
  if (committed) remember(context, *committed, changes);
  return committed;
}

bool is_concurrent_change(const Error& error) { return error.kind == ErrorKind::kFileChanged; }

std::string changed_since_seen(const Context& context, const LoadedFile& file) {
  const auto seen = session_state(context).read_log.last_seen(file.path);
  if (!seen || seen->content == file.bytes) return {};
  return patch::report_change({file.path, file.path}, seen->content, file.bytes).diff;
}

std::string notes_of(const changes::Committed& committed) {
  std::string notes;
  for (const changes::ChangedFile& file : committed.files) {
    if (file.in_place)
      notes += concat(
          file.path,
          " was written in place; its other names (hard links), if it has any, were changed with it.\n");
    if (!file.not_kept.empty())
      notes += concat(file.path, ": could not keep ", enumerate(file.not_kept), ".\n");
  }
  if (!committed.not_undoable.empty())
    notes += concat("This cannot be undone: ", committed.not_undoable, "\n");
  return notes;
}

}  // namespace helve::toolkit
