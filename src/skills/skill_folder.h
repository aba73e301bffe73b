// Reads and lists the files of a skill's directory, and never a file outside of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "skills/skill.h"
#include "workspace/root.h"

namespace helve::skills {

inline constexpr std::size_t kMostSkillFiles = 512;
inline constexpr std::uint64_t kMostSkillFolderBytes = std::uint64_t{16} << 20;

struct SkillFile {
  std::string path = {};  // relative to the directory
  std::uint64_t size = 0;
  std::string sha256 = {};  // set by digests() only

  bool operator==(const SkillFile&) const = default;
};

struct SkillFileList {
  std::vector<SkillFile> files = {};  // sorted by path, including the SKILL.md
  bool complete = true;               // false: there are more than the limit
};

// May be used from all threads at once. The workspace must outlive it.
class SkillFolder {
 public:
  // Reads a project's skill through the workspace, and a user's skill through a root for its directory. Fails
  // when the directory was replaced since it was found.
  [[nodiscard]] static Expected<SkillFolder> open(const Skill& skill, const workspace::Root& workspace);

  // The complete content of a file; `path` is relative to the directory.
  [[nodiscard]] Expected<std::string> read(std::string_view path, std::size_t max_bytes) const;

  // Regular files at most 8 levels deep. Skips symlinks, `.git`, `node_modules` and `__pycache__`.
  [[nodiscard]] Expected<SkillFileList> list(std::size_t most = kMostSkillFiles) const;
  // The same with digests. Fails for a directory over the limits, because an incomplete list of digests does
  // not verify it.
  [[nodiscard]] Expected<std::vector<SkillFile>> digests() const;

 private:
  SkillFolder() = default;
  [[nodiscard]] std::string within(std::string_view path) const;

  std::shared_ptr<const workspace::Root> own_;  // of a user's skill
  const workspace::Root* root_ = nullptr;
  std::string prefix_ = ".";  // the directory relative to the root
};

}  // namespace helve::skills
