// The workspace as an open directory: every path that a tool names is resolved and opened beneath it.
#pragma once

#include <sys/stat.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/durability.h"
#include "workspace/open_file.h"
#include "workspace/protected_paths.h"
#include "workspace/root_walk.h"
#include "workspace/write_target.h"

namespace helve {

struct RootOptions {
  Symlinks symlinks = Symlinks::kFollow;
  bool refuse_parent_components = false;  // every `..`, also one that stays inside
  // Absolute directories that may be read, such as session output.
  std::vector<std::string> read_only_roots = {};
  std::vector<ProtectedRule> protected_rules = default_protected_rules();
  std::string home_directory = {};  // where `~/` rules apply if it lies in the workspace; empty: nowhere
};

// Owned by the caller; may be used from all threads at once, since nothing in it changes after open.
// Paths are relative to the root or absolute inside it; resolved paths are relative to the root, those in a
// read-only root absolute.
class Root {
 public:
  struct Directory {
    UniqueFd fd;  // O_RDONLY
    std::string path;
  };
  struct Status {
    struct stat status;
    std::string path;
  };

  [[nodiscard]] static Expected<Root> open(const std::string& path, const RootOptions& options = {});

  // Where the root was when it was opened.
  [[nodiscard]] const std::string& path() const { return real_path_; }
  // O_PATH, for walkers that go down by themselves.
  [[nodiscard]] int fd() const { return bases_.front().fd.get(); }

  // A regular file for reading. Never blocks: FIFOs, devices, sockets and directories are refused.
  [[nodiscard]] Expected<OpenFile> open_read(std::string_view path) const;
  [[nodiscard]] Expected<Directory> open_directory(std::string_view path) const;
  // NOT_FOUND without suggestions, since a missing file is a plain answer here.
  [[nodiscard]] Expected<Status> stat(std::string_view path, FinalLink final_link = FinalLink::kFollow) const;

  // The place to write, remove or rename. A final link is resolved to its target inside, so that writing
  // through it keeps the link; kKeep takes the link itself. Refuses protected paths, read-only roots and
  // whatever is there but no regular file.
  [[nodiscard]] Expected<WriteTarget> open_parent(std::string_view path,
                                                  FinalLink final_link = FinalLink::kFollow) const;

  // Creates what is missing of a directory and returns that, outermost first.
  [[nodiscard]] Expected<std::vector<std::string>> make_directories(
      std::string_view path, Durability durability = Durability::kFull) const;
  // Takes back what make_directories created, as far as it is still empty.
  void remove_directories(std::span<const std::string> created) const;

  // The path as people should see it: relative where it lies in the workspace. Asks nothing of the disk.
  [[nodiscard]] std::string relative_name(std::string_view path) const;
  // The rule that makes a resolved path read-only for all tools by its name; null when there is none.
  [[nodiscard]] const ProtectedRule* find_protection(std::string_view resolved_path) const;
  // NOT_FOUND with the closest existing paths.
  [[nodiscard]] Error not_found(std::string_view path) const;

 private:
  // A path and the base that it lies beneath.
  struct Located {
    const BaseDirectory* base;
    PathText text;
  };
  struct Opened {
    UniqueFd fd;
    std::string path;
  };
  enum class Missing { kSuggest, kPlain };

  Root() = default;
  Expected<Located> locate(std::string_view path) const;
  Expected<Opened> open_existing(std::string_view path, int flags, FinalLink final_link,
                                 Missing missing) const;
  Expected<Place> walk(const Located& located, std::string_view path, FinalLink final_link) const;
  Expected<void> check_writable(const BaseDirectory& base, std::span<const std::string> components) const;
  std::string name_of(const BaseDirectory& base, std::span<const std::string> components) const;
  Error missing_error(const BaseDirectory& base, const Place& place, std::string_view path,
                      Missing missing) const;

  std::string real_path_;
  std::vector<BaseDirectory> bases_;  // the root, then the read-only roots
  Symlinks symlinks_ = Symlinks::kFollow;
  bool refuse_parent_components_ = false;
  ProtectedPaths protected_;
  bool protects_git_ = false;  // also where it is not called .git
};

}  // namespace helve
