#include "tools/patch_overlay.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "core/engines.h"
#include "patch/patch_any_endings.h"
#include "toolkit/new_file_endings.h"

namespace helve::tools {
namespace {

// For git and diff, a CR alone does not end a line. So a file is patched as they would if that fits.
Expected<patch::PatchedText> apply_to_lines(std::string_view text, const patch::FilePatch& patch) {
  auto patched = patch::apply_hunks(text, patch);
  const bool has_cr = std::ranges::any_of(patch.hunks, [](const patch::Hunk& hunk) {
    return std::ranges::any_of(hunk.lines,
                               [](const patch::PatchLine& line) { return line.text.contains('\r'); });
  });
  if (patched || has_cr || text::count_lines(text).cr == 0) return patched;
  auto by_lines = patch::apply_hunks_to_any_lines(text, patch);
  return by_lines ? std::move(by_lines) : std::move(patched);
}

// Hunks are UTF-8. A file in another encoding is decoded first, and only if the round trip loses nothing.
Expected<patch::PatchedText> apply_in_encoding(const std::string& bytes, const patch::FilePatch& patch,
                                               std::string_view path) {
  const text::TextEncoding encoding = text::detect_encoding(bytes);
  if (!encoding.is_text())
    return fail(ErrorCode::kInvalidArgument,
                concat(path, " is a binary file; a text patch cannot be applied to it."),
                "Leave it out of the patch.");
  const std::string_view body = text::without_bom(bytes, encoding);
  if (encoding.charset == text::Charset::kUtf8) {
    auto patched = apply_to_lines(body, patch);
    if (patched) patched->text.insert(0, text::bom_of(encoding));
    return patched;
  }
  const std::string text = text::decode(body, encoding);
  const auto round_trip = text::encode(text, encoding);
  if (!round_trip || *round_trip != body)
    return fail(ErrorCode::kInvalidArgument,
                concat(path, " has bytes that are not valid ", text::to_string(encoding),
                       ", which a patch would lose."),
                "Use edit, which leaves all other bytes alone.");
  auto patched = apply_to_lines(text, patch);
  if (!patched) return patched;
  const auto encoded = text::encode(patched->text, encoding);
  if (!encoded) return fail(encoded.error());
  patched->text = concat(text::bom_of(encoding), *encoded);
  return patched;
}

std::unexpected<Error> named(std::string_view path, Error error) {
  if (error.message.find(path) == std::string::npos) error.message = concat(path, ": ", error.message);
  return fail(std::move(error));
}

Expected<std::optional<mode_t>> permissions_of(const patch::FilePatch& patch) {
  if (!patch.new_mode) return std::optional<mode_t>();
  constexpr unsigned kRegular = 0100000;
  if ((*patch.new_mode & 0170000) != kRegular)
    return fail(ErrorCode::kInvalidArgument,
                concat(patch.path(),
                       " would become a symbolic link or submodule; patches can only change regular files."),
                "Leave it out of the patch.");
  return std::optional<mode_t>(*patch.new_mode & 0777);
}

}  // namespace

PatchOverlay::PatchOverlay(const Context& context, const patch::Patch& patch) : context_(context) {
  for (const patch::FilePatch& file : patch.files)
    if (file.form == patch::PatchForm::kUnified && file.kind == patch::PatchKind::kRename)
      leaving_.insert(name_of(file.old_path));
}

std::string PatchOverlay::name_of(const std::string& path) const {
  return context_.engines().root.relative_name(path);
}

Expected<PatchOverlay::Entry*> PatchOverlay::entry(const patch::FilePatch& patch, const std::string& path) {
  auto file = entry(path);
  // A unified diff stands for the link itself; writing would change the file that it points to.
  const bool writes_through = patch.form == patch::PatchForm::kUnified || (file && !(*file)->content);
  if (file && (*file)->is_link && writes_through)
    return fail(ErrorCode::kConflict,
                concat(path, " is a symbolic link", (*file)->content ? "" : " to a missing file",
                       "; a patch can only change regular files."),
                "Patch the file that it points to, or remove the link first.", JsonObject{{"path", path}});
  return file;
}

Expected<PatchOverlay::Entry*> PatchOverlay::entry(const std::string& path) {
  const std::string name = name_of(path);
  if (const auto known = entries_.find(name); known != entries_.end()) return &known->second;
  auto loaded = toolkit::load_file(context_, path);
  if (!loaded && loaded.error().code != ErrorCode::kNotFound) return fail(loaded.error());
  Entry fresh;
  const auto status = context_.engines().root.stat(path, workspace::FinalLink::kKeep);
  fresh.is_link = status && S_ISLNK(status->status.st_mode);
  if (loaded) {
    fresh.content = loaded->bytes;
    fresh.on_disk = *std::move(loaded);
  }
  return &entries_.emplace(name, std::move(fresh)).first->second;
}

Expected<PatchedFile> PatchOverlay::apply(const patch::FilePatch& patch) {
  auto patched = apply_kind(patch);
  constexpr unsigned kUsual = 0644;
  if (patched && patch.new_mode)
    patched->sets_mode = patch.kind != patch::PatchKind::kCreate || (*patch.new_mode & 0777) != kUsual;
  return patched;
}

Expected<PatchedFile> PatchOverlay::apply_kind(const patch::FilePatch& patch) {
  switch (patch.kind) {
    case patch::PatchKind::kModify: return modify(patch);
    case patch::PatchKind::kCreate: return create(patch);
    case patch::PatchKind::kDelete: return remove(patch);
    case patch::PatchKind::kRename: return rename(patch);
    case patch::PatchKind::kCopy: return copy(patch);
  }
  return fail(ErrorCode::kInvalidArgument, "The patch has a part of unknown kind.");
}

Expected<PatchOverlay::Source> PatchOverlay::patched_source(const patch::FilePatch& patch) {
  const auto mode = permissions_of(patch);
  if (!mode) return fail(mode.error());
  const auto file = entry(patch, patch.old_path);
  if (!file) return fail(file.error());
  // Renames and copies of a unified diff take the file as it was before.
  const bool moves = patch.kind == patch::PatchKind::kCopy || patch.kind == patch::PatchKind::kRename;
  const bool takes_original = moves && patch.form == patch::PatchForm::kUnified;
  if (takes_original ? !(*file)->on_disk || (*file)->moved_away : !(*file)->content)
    return fail(context_.engines().root.not_found(patch.old_path));
  const std::string& content = takes_original ? (*file)->on_disk->bytes : *(*file)->content;
  // Without hunks, the content matters only if the file must be empty.
  const bool must_be_empty =
      patch.kind == patch::PatchKind::kDelete && patch.form == patch::PatchForm::kUnified;
  if (patch.hunks.empty() && !must_be_empty) return Source{*file, {content, {}}, *mode};
  auto patched = patch.hunks.empty() ? patch::apply_hunks(content, patch)
                                     : apply_in_encoding(content, patch, patch.old_path);
  if (!patched) return named(patch.old_path, patched.error());
  return Source{*file, *std::move(patched), *mode};
}

Expected<PatchOverlay::Entry*> PatchOverlay::free_target(const patch::FilePatch& patch) {
  const auto file = entry(patch, patch.new_path);
  if (!file) return fail(file.error());
  // A place that becomes free is free for one file.
  const bool is_taken = (*file)->is_made || !(*file)->moved_from.empty();
  const bool leaves = leaving_.contains(name_of(patch.new_path)) && !is_taken;
  if ((*file)->content && !leaves)
    return fail(ErrorCode::kConflict,
                concat(patch.new_path, " is to be made by the patch, but is there already."),
                "Patch it as an existing file, choose another name, or remove it first.",
                JsonObject{{"path", patch.new_path}});
  return *file;
}

Expected<PatchedFile> PatchOverlay::modify(const patch::FilePatch& patch) {
  if (!patch.other_path.empty()) {
    const auto other = entry(patch.other_path);
    if (!other) return fail(other.error());
    if ((*other)->content)
      return fail(patch::two_files_error(patch.patch_line, patch.other_path, patch.new_path));
  }
  if (patch.may_create) {
    const auto file = entry(patch, patch.new_path);
    if (!file) return fail(file.error());
    if (!(*file)->content) return create(patch);
  }
  auto source = patched_source(patch);
  if (!source) return fail(source.error());
  source->file->content = std::move(source->patched.text);
  source->file->is_written = true;
  if (source->mode) source->file->mode = source->mode;
  return PatchedFile{patch.kind, patch.old_path, "", std::move(source->patched.hunks)};
}

Expected<PatchedFile> PatchOverlay::create(const patch::FilePatch& patch) {
  const auto mode = permissions_of(patch);
  if (!mode) return fail(mode.error());
  const auto file = free_target(patch);
  if (!file) return fail(file.error());
  auto patched = patch::apply_hunks("", patch);
  if (!patched) return named(patch.new_path, patched.error());
  (*file)->content = toolkit::with_new_file_endings(context_, patch.new_path, std::move(patched->text));
  (*file)->mode = *mode;
  (*file)->is_made = true;
  return PatchedFile{patch::PatchKind::kCreate, patch.new_path, "", std::move(patched->hunks)};
}

Expected<PatchedFile> PatchOverlay::remove(const patch::FilePatch& patch) {
  auto source = patched_source(patch);
  if (!source) return fail(source.error());
  source->file->content.reset();
  source->file->is_made = false;
  return PatchedFile{patch.kind, patch.old_path, "", std::move(source->patched.hunks)};
}

Expected<PatchedFile> PatchOverlay::rename(const patch::FilePatch& patch) {
  auto source = patched_source(patch);
  if (!source) return fail(source.error());
  const auto target = free_target(patch);
  if (!target) return fail(target.error());
  Entry& from = *source->file;
  Entry& to = **target;
  to.content = std::move(source->patched.text);
  to.mode = source->mode;
  const bool is_unified = patch.form == patch::PatchForm::kUnified;
  // A file that the same patch created or moved does not exist on disk under its old name.
  const bool has_name_on_disk = from.on_disk && !from.moved_away && (is_unified || from.moved_from.empty());
  if (!has_name_on_disk) {
    to.moved_from = std::exchange(from.moved_from, {});
    from.content.reset();
    return PatchedFile{patch.kind, patch.new_path, patch.old_path, std::move(source->patched.hunks)};
  }
  to.moved_from = name_of(patch.old_path);
  from.moved_away = true;
  // Another file may have taken its place already; and what an earlier part wrote there stays.
  if (!is_unified || (from.moved_from.empty() && !from.is_written && !from.is_made)) from.content.reset();
  return PatchedFile{patch.kind, patch.new_path, patch.old_path, std::move(source->patched.hunks)};
}

Expected<PatchedFile> PatchOverlay::copy(const patch::FilePatch& patch) {
  auto source = patched_source(patch);
  if (!source) return fail(source.error());
  const auto target = free_target(patch);
  if (!target) return fail(target.error());
  (*target)->content = std::move(source->patched.text);
  (*target)->mode = source->mode;
  (*target)->is_made = true;
  if (!source->mode && source->file->on_disk) (*target)->mode = source->file->on_disk->permissions;
  return PatchedFile{patch.kind, patch.new_path, patch.old_path, std::move(source->patched.hunks)};
}

// If another file moves to where it was, or it takes the place of one, its content is written there instead.
bool PatchOverlay::is_moved_as_file(const Entry& file) const {
  return !file.moved_from.empty() && !file.is_refilled() && !entries_.at(file.moved_from).is_refilled();
}

std::vector<changes::FileChange> PatchOverlay::changes() const {
  std::vector<changes::FileChange> changes;
  std::set<std::string> moved;
  for (const auto& [name, file] : entries_)
    if (is_moved_as_file(file)) moved.insert(file.moved_from);
  for (const auto& [name, file] : entries_) {
    changes::FileChange change{.path = name};
    change.mode = file.mode;
    if (is_moved_as_file(file)) {
      const toolkit::LoadedFile& source = *entries_.at(file.moved_from).on_disk;
      change.kind = changes::FileChange::Kind::kMove;
      change.path = source.path;
      change.new_path = name;
      change.expected = source.state();
      change.old_content = source.bytes;
      if (*file.content != source.bytes) change.content = std::vector<std::string_view>{*file.content};
    } else if (file.content) {
      if (!file.moved_from.empty() && !file.mode)
        change.mode = entries_.at(file.moved_from).on_disk->permissions;
      if (file.on_disk && *file.content == file.on_disk->bytes && !change.mode) continue;
      change.content = std::vector<std::string_view>{*file.content};
    } else if (file.on_disk && !moved.contains(name)) {
      change.kind = changes::FileChange::Kind::kRemove;
    } else {
      continue;
    }
    if (change.kind != changes::FileChange::Kind::kMove && file.on_disk) {
      change.expected = file.on_disk->state();
      change.old_content = file.on_disk->bytes;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

std::vector<PatchOverlay::FileNow> PatchOverlay::files() const {
  std::vector<FileNow> files;
  for (const auto& [name, file] : entries_) {
    if (file.moved_away && !file.content) continue;
    FileNow now{name, file.on_disk ? &file.on_disk->bytes : nullptr, file.content ? &*file.content : nullptr};
    if (!file.moved_from.empty()) {
      now.old_path = file.moved_from;
      now.before = &entries_.at(file.moved_from).on_disk->bytes;
    }
    if (now.before != nullptr || now.after != nullptr) files.push_back(std::move(now));
  }
  return files;
}

}  // namespace helve::tools
