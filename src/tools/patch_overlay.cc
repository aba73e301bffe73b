#include "tools/patch_overlay.h"

#include <utility>

#include "base/strings.h"
#include "core/engines.h"

namespace helve::tools {
namespace {

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
    auto patched = patch::apply_hunks(body, patch);
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
  auto patched = patch::apply_hunks(text, patch);
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

Expected<PatchOverlay::Entry*> PatchOverlay::entry(const std::string& path) {
  const std::string name = context_.engines().root.relative_name(path);
  if (const auto known = entries_.find(name); known != entries_.end()) return &known->second;
  auto loaded = toolkit::load_file(context_, path);
  if (!loaded && loaded.error().code != ErrorCode::kNotFound) return fail(loaded.error());
  Entry fresh;
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
  const auto file = entry(patch.old_path);
  if (!file) return fail(file.error());
  if (!(*file)->content) return fail(context_.engines().root.not_found(patch.old_path));
  // Without hunks the content does not matter.
  if (patch.hunks.empty()) return Source{*file, {*(*file)->content, {}}, *mode};
  auto patched = apply_in_encoding(*(*file)->content, patch, patch.old_path);
  if (!patched) return named(patch.old_path, patched.error());
  return Source{*file, *std::move(patched), *mode};
}

Expected<PatchOverlay::Entry*> PatchOverlay::free_target(const patch::FilePatch& patch) {
  const auto file = entry(patch.new_path);
  if (!file) return fail(file.error());
  if ((*file)->content)
    return fail(ErrorCode::kConflict,
                concat(patch.new_path, " is to be made by the patch, but is there already."),
                "Patch it as an existing file, choose another name, or remove it first.",
                JsonObject{{"path", patch.new_path}});
  return *file;
}

Expected<PatchedFile> PatchOverlay::modify(const patch::FilePatch& patch) {
  auto source = patched_source(patch);
  if (!source) return fail(source.error());
  source->file->content = std::move(source->patched.text);
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
  (*file)->content = std::move(patched->text);
  (*file)->mode = *mode;
  return PatchedFile{patch.kind, patch.new_path, "", std::move(patched->hunks)};
}

Expected<PatchedFile> PatchOverlay::remove(const patch::FilePatch& patch) {
  auto source = patched_source(patch);
  if (!source) return fail(source.error());
  source->file->content.reset();
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
  // A file that the same patch created or moved does not exist on disk under its old name.
  const bool has_name_on_disk = from.on_disk && from.moved_from.empty() && !from.moved_away;
  if (has_name_on_disk) {
    to.moved_from = patch.old_path;
    from.moved_away = true;
  } else {
    to.moved_from = std::exchange(from.moved_from, {});
  }
  from.content.reset();
  return PatchedFile{patch.kind, patch.new_path, patch.old_path, std::move(source->patched.hunks)};
}

Expected<PatchedFile> PatchOverlay::copy(const patch::FilePatch& patch) {
  auto source = patched_source(patch);
  if (!source) return fail(source.error());
  const auto target = free_target(patch);
  if (!target) return fail(target.error());
  (*target)->content = std::move(source->patched.text);
  (*target)->mode = source->mode;
  return PatchedFile{patch.kind, patch.new_path, patch.old_path, std::move(source->patched.hunks)};
}

std::vector<changes::FileChange> PatchOverlay::changes() const {
  std::vector<changes::FileChange> changes;
  for (const auto& [name, file] : entries_) {
    changes::FileChange change{.path = name};
    if (!file.moved_from.empty()) {
      const toolkit::LoadedFile& source =
          *entries_.at(context_.engines().root.relative_name(file.moved_from)).on_disk;
      change.kind = changes::FileChange::Kind::kMove;
      change.path = source.path;
      change.new_path = name;
      change.expected = source.state();
      change.old_content = source.bytes;
      if (*file.content != source.bytes) change.content = std::vector<std::string_view>{*file.content};
    } else if (file.content) {
      if (file.on_disk && *file.content == file.on_disk->bytes && !file.mode) continue;
      change.content = std::vector<std::string_view>{*file.content};
    } else if (file.on_disk && !file.moved_away) {
      change.kind = changes::FileChange::Kind::kRemove;
    } else {
      continue;
    }
    if (file.moved_from.empty() && file.on_disk) {
      change.expected = file.on_disk->state();
      change.old_content = file.on_disk->bytes;
    }
    change.mode = file.mode;
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
      now.before = &entries_.at(context_.engines().root.relative_name(file.moved_from)).on_disk->bytes;
    }
    if (now.before != nullptr || now.after != nullptr) files.push_back(std::move(now));
  }
  return files;
}

}  // namespace helve::tools
