// The folder of a skill, opened so that nothing that is read through it lies elsewhere; and what is in it.
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
  std::string path = {};  // relative to the folder
  std::uint64_t size = 0;
  std::string sha256 = {};  // only where digests were asked for

  bool operator==(const SkillFile&) const = default;
};

struct SkillFileList {
  std::vector<SkillFile> files = {};  // sorted by path, the SKILL.md too
  bool complete = true;               // false: there are more than the limit
};

// Owned by the caller; may be used from all threads at once. The workspace that it was opened with must
// outlive it.
class SkillFolder {
 public:
  // A project's skill is read through the workspace, a user's through an open handle of its own folder. Fails
  // when the folder is not where it was found.
  [[nodiscard]] static Expected<SkillFolder> open(const Skill& skill, const Root& workspace);

  // The whole of a file, named relative to the folder.
  [[nodiscard]] Expected<std::string> read(std::string_view path, std::size_t max_bytes) const;

  // Regular files at any depth down to 8. Links are left out, and so are `.git`, `node_modules` and
  // `__pycache__`, which nobody wrote for the skill.
  [[nodiscard]] Expected<SkillFileList> list(std::size_t most = kMostSkillFiles) const;
  // The same with digests, all or none: a folder over the limits is refused, since a list of digests with
  // gaps proves nothing.
  [[nodiscard]] Expected<std::vector<SkillFile>> digests() const;

 private:
  SkillFolder() = default;
  [[nodiscard]] std::string within(std::string_view path) const;

  std::shared_ptr<const Root> own_;  // of a user's skill
  const Root* root_ = nullptr;
  std::string prefix_ = ".";  // the folder beneath the root
};

}  // namespace helve::skills
