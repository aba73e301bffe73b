// The files of the workspace as tools of other authors use them (helve/files.h).
#include "helve/files.h"

#include "base/strings.h"
#include "changes/changes_plan.h"
#include "core/engines.h"
#include "helve/context.h"
#include "toolkit/edit_text.h"
#include "toolkit/file_change.h"
#include "toolkit/file_rules.h"
#include "workspace/listing.h"

namespace helve {
namespace {

FileEntry::Kind kind_of(workspace::ListedEntry::Type type) {
  using enum workspace::ListedEntry::Type;
  switch (type) {
    case kFile: return FileEntry::Kind::kFile;
    case kDirectory: return FileEntry::Kind::kDirectory;
    case kLink: return FileEntry::Kind::kLink;
    case kOther: break;
  }
  return FileEntry::Kind::kOther;
}

void append_entries(const std::vector<workspace::ListedEntry>& entries, const std::string& directory,
                    std::vector<FileEntry>& out) {
  for (const workspace::ListedEntry& entry : entries) {
    const FileEntry::Kind kind = kind_of(entry.type);
    out.push_back(
        {.path = directory.empty() || directory == "." ? entry.name : concat(directory, "/", entry.name),
         .kind = kind,
         .bytes = kind == FileEntry::Kind::kFile ? entry.size : 0});
    append_entries(entry.inner, std::string(out.back().path), out);
  }
}

// Commits one change, or in a dry run checks only that its place could be written.
Expected<FileChanged> commit_one(Context& context, changes::FileChange change,
                                 const toolkit::LoadedFile* old_file) {
  const bool removes = change.kind == changes::FileChange::Kind::kRemove;
  FileChanged changed{
      .path = old_file != nullptr ? old_file->path : context.engines().root.relative_name(change.path),
      .created = old_file == nullptr};
  if (auto allowed = toolkit::check_editable(context, changed.path); !allowed) return fail(allowed.error());
  const std::string_view before =
      old_file != nullptr ? std::string_view(old_file->bytes) : std::string_view();
  const std::string_view after = removes ? std::string_view() : change.content->front();
  if (old_file != nullptr) {
    change.expected = old_file->state();
    change.old_content = old_file->bytes;
  }
  if (context.dry_run()) {
    if (const auto place = changes::resolve_place(context.engines().root, change.path); !place)
      return fail(place.error());
  } else {
    std::vector<changes::FileChange> changes{std::move(change)};
    const auto committed = toolkit::commit_changes(context, context.tool(), changes);
    if (!committed) return fail(committed.error());
    changed.path = committed->files.front().path;
    changed.change_id = committed->change_id;
  }
  changed.diff =
      patch::report_change({old_file != nullptr ? std::string_view(changed.path) : std::string_view(),
                            removes ? std::string_view() : std::string_view(changed.path)},
                           before, after)
          .diff;
  return changed;
}

}  // namespace

Expected<std::string> Files::read(std::string_view path) const {
  auto file = toolkit::load_file(*context_, path);
  if (!file) return fail(file.error());
  if (auto allowed = toolkit::check_readable(*context_, file->path); !allowed) return fail(allowed.error());
  return std::move(file->bytes);
}

Expected<std::vector<FileEntry>> Files::list(std::string_view path, int depth) const {
  const auto listing =
      workspace::list_directory(context_->engines().root, path,
                                {.depth = depth, .should_stop = [this] { return context_->should_stop(); }});
  if (!listing) return fail(listing.error());
  std::vector<FileEntry> entries;
  append_entries(listing->entries, listing->path, entries);
  std::erase_if(entries,
                [&](const FileEntry& entry) { return !toolkit::check_readable(*context_, entry.path); });
  return entries;
}

Expected<FileChanged> Files::write(std::string_view path, std::string_view content) const {
  const auto loaded = toolkit::load_file(*context_, path);
  if (!loaded && loaded.error().code != ErrorCode::kNotFound) return fail(loaded.error());
  changes::FileChange change{.path = std::string(path)};
  change.content = std::vector<std::string_view>{content};
  return commit_one(*context_, std::move(change), loaded ? &*loaded : nullptr);
}

Expected<FileChanged> Files::edit(std::string_view path, std::string_view old_text,
                                  std::string_view new_text) const {
  if (const auto allowed = check(path, FileAccess::kWrite); !allowed) return fail(allowed.error());
  return toolkit::apply_text_edit(
      *context_, {.tool = context_->tool(),
                  .path = std::string(path),
                  .replacements = {{.old_text = std::string(old_text), .new_text = std::string(new_text)}}});
}

Expected<FileChanged> Files::remove(std::string_view path) const {
  const auto loaded = toolkit::load_file(*context_, path);
  if (!loaded) return fail(loaded.error());
  return commit_one(*context_, {.kind = changes::FileChange::Kind::kRemove, .path = std::string(path)},
                    &*loaded);
}

Expected<std::string> Files::check_text(std::string_view path, FileAccess access) const {
  using Purpose = workspace::Root::Purpose;
  return context_->engines().root.check_text(path,
                                             access == FileAccess::kWrite ? Purpose::kWrite : Purpose::kRead);
}

Expected<std::string> Files::check(std::string_view path, FileAccess access) const {
  const workspace::Root& root = context_->engines().root;
  if (access == FileAccess::kRead) {
    const auto status = root.stat(path);
    if (!status) return fail(status.error());
    if (auto allowed = toolkit::check_readable(*context_, status->path); !allowed)
      return fail(allowed.error());
    return status->path;
  }
  const auto place = changes::resolve_place(root, path);
  if (!place) return fail(place.error());
  if (auto allowed = toolkit::check_editable(*context_, place->path); !allowed) return fail(allowed.error());
  return place->path;
}

}  // namespace helve
