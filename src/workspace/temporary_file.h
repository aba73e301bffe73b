// A file that has no name until it is complete, or an unguessable one, and that goes away if it never gets
// its own.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve {

// Owned by one thread. The directory's handle must outlive it.
class TemporaryFile {
 public:
  // Unnamed where the file system has O_TMPFILE: then a crash leaves nothing behind. Should it need a random
  // name, it takes `name` if that is not empty, which a journal may have written down before.
  [[nodiscard]] static Expected<TemporaryFile> create(int directory, std::string_view for_path, mode_t mode,
                                                      std::string_view name = {});

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] int fd() const { return fd_.get(); }
  // Its random name; empty as long as it has none.
  [[nodiscard]] const std::string& name() const { return name_; }

  // The following return 0 or an error number.
  // Makes it appear under a random name, for a rename.
  [[nodiscard]] int give_random_name();
  // Makes it appear under its own name; EEXIST when that is taken.
  [[nodiscard]] int give_name(const std::string& name);
  // Removes whatever bears the random name now.
  int remove_name();
  // Leaves whatever bears the random name alone.
  void forget_name() { name_.clear(); }

 private:
  TemporaryFile(int directory, UniqueFd fd, std::string name, std::string_view future_name)
      : directory_(directory), fd_(std::move(fd)), name_(std::move(name)), future_name_(future_name) {}
  [[nodiscard]] int link_as(const std::string& name) const;

  int directory_;
  UniqueFd fd_;
  std::string name_;
  std::string future_name_;  // empty: any
};

// Unguessable. Such a name in a directory listing is one of ours.
[[nodiscard]] std::string random_temporary_name();
[[nodiscard]] bool is_temporary_name(std::string_view name);

// Removes temporary files that a killed process left in a directory and returns how many. Those of a living
// one are locked and stay.
std::size_t remove_abandoned_temporaries(int directory);

}  // namespace helve
