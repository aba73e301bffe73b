#include "skills/skill_folder.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/strings.h"
#include "workspace/listing.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"

namespace helve::skills {
namespace {

constexpr int kDeepestFile = 8;

bool is_left_out(std::string_view name) {
  return name == ".git" || name == "node_modules" || name == "__pycache__";
}

void collect(const std::vector<workspace::ListedEntry>& entries, const std::string& prefix,
             std::vector<SkillFile>& files) {
  for (const workspace::ListedEntry& entry : entries) {
    if (is_left_out(entry.name)) continue;
    std::string path = prefix;
    path += entry.name;
    if (entry.type == workspace::ListedEntry::Type::kDirectory) collect(entry.inner, path += '/', files);
    if (entry.type == workspace::ListedEntry::Type::kFile) files.push_back({std::move(path), entry.size});
  }
}

std::unexpected<Error> too_much(std::string_view what, std::string_view limit) {
  return fail(ErrorCode::kInvalidArgument,
              concat("The skill's folder has ", what, "; at most ", limit, " are served."),
              "Move unrelated files out of the folder.");
}

}  // namespace

Expected<SkillFolder> SkillFolder::open(const Skill& skill, const workspace::Root& workspace) {
  SkillFolder folder;
  std::string found;
  if (skill.scope == SkillScope::kProject) {
    folder.root_ = &workspace;
    const auto place = workspace.stat(skill.directory);
    if (!place) return fail(place.error());
    folder.prefix_ = place->path;
    found = place->path == "." ? workspace.path() : concat(workspace.path(), "/", place->path);
  } else {
    auto own = workspace::Root::open(skill.directory);
    if (!own) return fail(own.error());
    found = own->path();
    folder.own_ = std::make_shared<const workspace::Root>(*std::move(own));
    folder.root_ = folder.own_.get();
  }
  if (found != skill.directory)
    return fail(ErrorCode::kConflict,
                concat("The folder of the skill ", skill.name, " was replaced since it was found."),
                "List the skills again.");
  return folder;
}

std::string SkillFolder::within(std::string_view path) const {
  return prefix_ == "." ? std::string(path) : concat(prefix_, "/", path);
}

Expected<std::string> SkillFolder::read(std::string_view path, std::size_t max_bytes) const {
  const workspace::PathText text = workspace::split_path(path);
  if (text.absolute || workspace::climbs_out(text.components))
    return fail(
        workspace::path_error(ErrorKind::kPathTraversal, path,
                              concat(workspace::printable_path(path), " is outside of the skill's folder."),
                              "Name a file relative to the skill's folder."));
  const auto file = root_->open_read(within(path));
  if (!file) return fail(file.error());
  return workspace::read_content(*file, max_bytes);
}

Expected<SkillFileList> SkillFolder::list(std::size_t most) const {
  // The limit counts all entries, including directories and skipped ones.
  const workspace::ListingOptions options{
      .depth = kDeepestFile, .max_entries = 4 * kMostSkillFiles, .stays_out = [](const std::string& path) {
        return is_left_out(std::string_view(path).substr(path.rfind('/') + 1));
      }};
  const auto listing = workspace::list_directory(*root_, prefix_, options);
  if (!listing) return fail(listing.error());
  SkillFileList list{.complete = listing->left_out == 0};
  collect(listing->entries, "", list.files);
  std::ranges::sort(list.files, {}, &SkillFile::path);
  if (list.files.size() > most) {
    list.files.resize(most);
    list.complete = false;
  }
  return list;
}

Expected<std::vector<SkillFile>> SkillFolder::digests() const {
  auto list = this->list();
  if (!list) return fail(list.error());
  if (!list->complete) return too_much("too many files", count_of(kMostSkillFiles, "file"));
  std::uint64_t left = kMostSkillFolderBytes;
  for (SkillFile& file : list->files) {
    if (file.size > left) return too_much("more than 16 MiB", "16 MiB");
    const auto content = read(file.path, left);
    if (!content) return fail(content.error());
    left -= content->size();
    file.size = content->size();
    file.sha256 = sha256_hex(*content);
  }
  return std::move(list->files);
}

}  // namespace helve::skills
