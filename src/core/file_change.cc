#include "core/file_change.h"

#include "base/json_read.h"
#include "base/strings.h"
#include "core/approval.h"
#include "core/engines.h"
#include "core/session_state.h"
#include "helve/session.h"

namespace helve {
namespace {

// Writing in place is the only way to keep a hard link, and a crash half-way can tear the file: the person
// decides.
Expected<void> ask_about_hard_link(const Context& context, std::string_view tool, const Error& error) {
  if (context.session().mode() == Mode::kFull) return {};
  if (context.session().approver() == nullptr) return fail(error);
  const PermissionRequest request{
      context.call_id(),
      std::string(tool),
      "",
      Effect::kWrite,
      JsonObject{{"path", string_in(error.details, "path")}, {"hardLinked", true}},
      "The file has several names (hard links), so all of them change, and it "
      "cannot be replaced in one step."};
  const Approval approval = context.session().approver()->ask(request, context.stop_token());
  if (!approval.granted && !approval.asked)
    return fail(nobody_to_ask(request, "the file has several names (hard links)", approval.reason));
  if (!approval.granted) return fail(user_denied(request, approval.reason));
  return {};
}

std::string joined(const std::vector<std::string_view>& pieces) {
  std::string whole;
  for (const std::string_view piece : pieces) whole += piece;
  return whole;
}

void remember(const Context& context, const Committed& committed, const std::vector<FileChange>& changes) {
  ReadLog& log = session_state(context).read_log;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const ChangedFile& file = committed.files[i];
    if (!file.old_path.empty()) log.forget(file.old_path);
    const bool gone = changes[i].kind == FileChange::Kind::kRemove;
    std::size_t size = 0;
    if (changes[i].content)
      for (const std::string_view piece : *changes[i].content) size += piece.size();
    if (gone || !changes[i].content || size > ReadLog::Limits().file_bytes)
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
  auto bytes = read_content(*file, largest);
  if (!bytes) return fail(bytes.error());
  return LoadedFile{file->path, *std::move(bytes), identity_of(file->status)};
}

Expected<LoadedText> load_text(const Context& context, std::string_view path) {
  auto file = load_file(context, path);
  if (!file) return fail(file.error());
  const TextFormat format = inspect_text(file->bytes);
  if (!format.encoding.is_text())
    return fail(ErrorCode::kInvalidArgument,
                concat(file->path, " is not a text file, so text in it cannot be replaced."),
                "Use exec with a program that knows this kind of file.");
  return LoadedText{*std::move(file), format};
}

Expected<Committed> commit_changes(const Context& context, std::string_view tool,
                                   std::vector<FileChange>& changes) {
  const ChangeOrigin origin{context.session().id(), context.call_id(), std::string(tool)};
  auto committed = context.engines().changes->commit(origin, changes);
  if (!committed && string_in(committed.error().details, "kind") == "HARD_LINKED") {
    if (auto agreed = ask_about_hard_link(context, tool, committed.error()); !agreed)
      return fail(agreed.error());
    for (FileChange& change : changes) change.hard_links = HardLinks::kWriteInPlace;
    committed = context.engines().changes->commit(origin, changes);
  }
  if (committed) remember(context, *committed, changes);
  return committed;
}

bool is_concurrent_change(const Error& error) {
  return error.code == ErrorCode::kConflict && string_in(error.details, "reason") == "changed";
}

std::string changed_since_seen(const Context& context, const LoadedFile& file) {
  const auto seen = session_state(context).read_log.last_seen(file.path);
  if (!seen || seen->content == file.bytes) return {};
  return report_change({file.path, file.path}, seen->content, file.bytes).diff;
}

std::string notes_of(const Committed& committed) {
  std::string notes;
  for (const ChangedFile& file : committed.files) {
    if (file.in_place)
      notes += concat(file.path, " has several names (hard links); all of them were changed.\n");
    if (!file.not_kept.empty())
      notes += concat(file.path, ": could not keep ", enumerate(file.not_kept), ".\n");
  }
  if (!committed.not_undoable.empty())
    notes += concat("This cannot be undone: ", committed.not_undoable, "\n");
  return notes;
}

}  // namespace helve
