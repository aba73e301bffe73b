#include "core/audit_parts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "base/to_number.h"

namespace helve::core {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".jsonl";
constexpr std::size_t kDigits = 6;

// "…/audit-" of "…/audit.jsonl".
std::string stem_of(const std::string& path) {
  return concat(path.ends_with(kExtension) ? std::string_view(path).substr(0, path.size() - kExtension.size())
                                           : std::string_view(path),
                "-");
}

std::string part_path(const std::string& path, std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return concat(stem_of(path), std::string(kDigits - std::min(kDigits, digits.size()), '0'), digits,
                kExtension);
}

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat first{};
  struct stat second{};
  return ::lstat(one.c_str(), &first) == 0 && ::lstat(other.c_str(), &second) == 0 &&
         first.st_ino == second.st_ino && first.st_dev == second.st_dev;
}

}  // namespace

std::vector<AuditPart> older_audit_parts(const std::string& path) {
  const std::string stem = stem_of(path);
  std::vector<AuditPart> parts;
  std::error_code error;
  for (fs::directory_iterator entry(fs::path(stem).parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().string();
    if (!name.starts_with(stem) || !name.ends_with(kExtension)) continue;
    const std::string_view digits =
        std::string_view(name).substr(stem.size(), name.size() - stem.size() - kExtension.size());
    const auto number = to_number<decltype(AuditPart::number)>(digits);
    if (digits.size() < kDigits || !number) continue;
    AuditPart part{.path = name, .number = *number};
    // A crash may have interrupted begin_audit_part between its two links.
    if (is_same_file(name, path)) continue;
    std::error_code ignored;
    part.bytes = entry->file_size(ignored);
    parts.push_back(std::move(part));
  }
  std::ranges::sort(parts, {}, &AuditPart::number);
  return parts;
}

Expected<void> begin_audit_part(const std::string& path, std::string_view first_line) {
  const auto older = older_audit_parts(path);
  const std::string kept = part_path(path, older.empty() ? 1 : older.back().number + 1);
  const std::string fresh = concat(path, ".", random_id("new"));
  const auto give_up = [&](std::string_view what) {
    const int error = errno;
    ::unlink(fresh.c_str());
    return fail(system_error(concat(what, " ", path), error));
  };
  {
    const UniqueFd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return fail(system_error(concat("Cannot create ", fresh), errno));
    if (auto written = write_all(file.get(), first_line); !written) {
      ::unlink(fresh.c_str());
      return written;
    }
    if (::fdatasync(file.get()) != 0) return give_up("Cannot sync the file after");
  }
  // Adds the second name first: a process that opens the audit meanwhile gets the old file, waits for its
  // lock, and then notices the change.
  if (::link(path.c_str(), kept.c_str()) != 0 && (errno != EEXIST || !is_same_file(path, kept)))
    return give_up("Cannot keep");
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(kept.c_str());
    errno = error;
    return give_up("Cannot replace");
  }
  return {};
}

void remove_old_audit_parts(const std::string& path, std::uint64_t most_bytes) {
  struct stat status{};
  std::uint64_t bytes = ::stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  auto parts = older_audit_parts(path);
  for (const AuditPart& part : parts) bytes += part.bytes;
  for (const AuditPart& part : parts) {
    if (bytes <= most_bytes) return;
    ::unlink(part.path.c_str());
    bytes -= part.bytes;
  }
}

}  // namespace helve::core
