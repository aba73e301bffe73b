#include "cli/init/foreign_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file_io.h"
#include "base/strings.h"
#include "changes/atomic_write.h"
#include "changes/file_move.h"
#include "workspace/root.h"

namespace helve::cli {
namespace {

namespace fs = std::filesystem;

Expected<workspace::WriteTarget> target_of(const std::string& path) {
  const fs::path whole(path);
  const auto root = workspace::Root::open(whole.parent_path().string(), {.protected_rules = {}});
  if (!root) return fail(root.error());
  return root->open_parent(whole.filename().string(), workspace::FinalLink::kKeep);
}

workspace::ExpectedState state_of(const ForeignFile& file, const workspace::WriteTarget& target) {
  if (!file.exists || !target.status) return workspace::ExpectedState::absent();
  return workspace::ExpectedState::of_content(workspace::identity_of(*target.status), file.text);
}

std::unexpected<Error> changed(const std::string& path) {
  return fail(ErrorCode::kConflict, concat(path, " was changed by another program just now."),
              "Check it and try again.");
}

}  // namespace

Expected<ForeignFile> ForeignFile::load(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    std::error_code problem;
    if (errno == ENOENT) return ForeignFile{.path = fs::weakly_canonical(path, problem).string()};
    return fail(system_error(concat("Cannot read ", path), errno));
  }
  const auto real = real_path(path);
  if (!real)
    return fail(ErrorCode::kConflict, concat(path, " is a broken symlink."),
                "Create its target, or remove it.");
  if (::stat(real->c_str(), &status) != 0) return fail(system_error(concat("Cannot read ", *real), errno));
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kConflict, concat(path, " is not a file."));
  auto text = read_file(*real);
  if (!text) return fail(text.error());
  return ForeignFile{.path = *real, .text = *std::move(text), .exists = true};
}

Expected<std::vector<std::string>> ForeignFile::replace(std::string_view new_text,
                                                        unsigned new_file_mode) const {
  std::vector<std::string> made;
  for (fs::path parent = fs::path(path).parent_path(); !parent.empty() && !fs::exists(parent);
       parent = parent.parent_path())
    made.insert(made.begin(), parent.string());
  std::error_code problem;
  fs::create_directories(fs::path(path).parent_path(), problem);
  if (problem)
    return fail(ErrorCode::kExecutionFailed,
                concat("Cannot create the directory of ", path, ": ", problem.message()));
  const auto target = target_of(path);
  if (!target) return fail(target.error());
  if (target->status.has_value() != exists) return changed(path);
  const auto written =
      changes::atomic_write(*target, new_text, state_of(*this, *target), {.new_file_mode = new_file_mode});
  if (!written) return written.error().code == ErrorCode::kConflict ? changed(path) : fail(written.error());
  return made;
}

Expected<void> ForeignFile::remove(const std::vector<std::string>& directories) const {
  const auto target = target_of(path);
  if (!target) return fail(target.error());
  if (auto removed = changes::remove_file(*target, state_of(*this, *target)); !removed)
    return removed.error().code == ErrorCode::kConflict ? changed(path) : fail(removed.error());
  for (std::size_t i = directories.size(); i-- > 0;) ::rmdir(directories[i].c_str());
  return {};
}

}  // namespace helve::cli
