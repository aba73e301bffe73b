#include "model/api_keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::model {
namespace {

constexpr std::size_t kLongestFile = std::size_t{64} << 10;

// The value of a line NAME=value or, as in shells, export NAME="value".
std::string value_in(std::string_view text, std::string_view name) {
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || trim(line.substr(0, equals)) != name) continue;
    std::string_view value = trim(line.substr(equals + 1));
    const bool quoted =
        value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
    return std::string(quoted ? value.substr(1, value.size() - 2) : value);
  }
  return {};
}

// Checks the open file, not the path, so that it cannot be replaced in between.
Expected<std::string> read_private_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file && errno == ENOENT) return std::string();
  if (!file) return fail(system_error(concat("Cannot open ", path), errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(system_error(concat("Cannot stat ", path), errno));
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::kSecurity, concat(path, " is not a regular file"),
                "Put the keys into a regular file at this path.");
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return fail(ErrorCode::kSecurity, concat(path, " belongs to another user"),
                "Use a keys file that belongs to you.");
  if ((status.st_mode & 077) != 0)
    return fail(ErrorCode::kSecurity, concat("Other users can read ", path, ", so its keys are not used"),
                concat("Run chmod 600 ", path, ", and replace keys that others may have read."));
  return read_all(file.get(), kLongestFile);
}

}  // namespace

Expected<Key> find_key(const std::string& name, const Variables& variables, const std::string& keys_file) {
  if (const std::string value(trim(variables(name.c_str()))); !value.empty())
    return Key{value, concat("the variable ", name)};
  if (keys_file.empty()) return Key{};
  const auto text = read_private_file(keys_file);
  if (!text) return fail(text.error());
  if (std::string value = value_in(*text, name); !value.empty())
    return Key{std::move(value), concat(name, " in ", keys_file)};
  return Key{};
}

}  // namespace helve::model
