// A file without a name, or with a random one, until it is complete. It disappears if it never gets its own
// name.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::workspace {

// Owned by one thread. The directory handle must outlive it.
class TemporaryFile {
 public:
  // Unnamed if the file system supports O_TMPFILE, so that a crash leaves nothing behind. `name` is used
  // instead of a random name if it is not empty, so that a journal can record it in advance.
  [[nodiscard]] static Expected<TemporaryFile> create(int directory, std::string_view for_path, mode_t mode,
                                                      std::string_view name = {});

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] int fd() const { return fd_.get(); }
  // Its random name; empty while it has none.
  [[nodiscard]] const std::string& name() const { return name_; }

  // The following return 0 or an error number.
  // Gives it a random name, for a rename.
  [[nodiscard]] int give_random_name();
  // Gives it its own name; EEXIST when that is taken.
  [[nodiscard]] int give_name(const std::string& name);
  // Removes the file that has the random name now.
  int remove_name();
  // Keeps the file that has the random name now.
  void forget_name() { name_.clear(); }

 private:
  TemporaryFile(int directory, UniqueFd fd, std::string name, std::string_view future_name)
      : directory_(directory), fd_(std::move(fd)), name_(std::move(name)), future_name_(future_name) {}
  [[nodiscard]] int link_as(const std::string& name) const;

  int directory_;
  UniqueFd fd_;
  std::string name_;
  std::string future_name_;  // empty: a random one
};

// Unguessable and recognizable as Helve's.
[[nodiscard]] std::string random_temporary_name();
[[nodiscard]] bool is_temporary_name(std::string_view name);

// Removes temporary files that killed processes left in a directory and returns their number. Files of
// running processes are locked and stay.
std::size_t remove_abandoned_temporaries(int directory);

}  // namespace helve::workspace
