#include "core/audit_head.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>

#include "base/strings.h"
#include "core/audit_parts.h"

namespace helve::core {
namespace {

constexpr std::string_view kHeadExtension = ".jsonl";
constexpr std::size_t kHashDigits = 64;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

// Empty where the kernel does not tell it.
std::string boot_id() {
  const auto text = read_file("/proc/sys/kernel/random/boot_id", 100);
  return text ? std::string(trim(*text)) : std::string();
}

bool file_has_hash(const std::string& path, std::string_view hash) {
  const auto file = open_regular_file(path);
  const auto text = file ? read_all(file->get(), kMostBytes) : fail(file.error());
  return text && text->contains(concat("\"hash\":\"", hash, "\"}"));
}

}  // namespace

std::string audit_head_path(const std::string& path) {
  std::string_view stem = path;
  if (stem.ends_with(kHeadExtension)) stem.remove_suffix(kHeadExtension.size());
  return concat(stem, ".head");
}

std::optional<AuditHead> read_audit_head(const std::string& path) {
  const auto file = open_regular_file(audit_head_path(path));
  const auto text = file ? read_all(file->get(), 4 * kHashDigits) : fail(file.error());
  if (!text) return std::nullopt;
  const auto words = split(trim(*text), ' ');
  const bool is_whole = words.size() == 2 && words[0].size() == kHashDigits &&
                        words[0].find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!is_whole) return std::nullopt;
  return AuditHead{std::string(words[0]), words[1] == boot_id()};
}

bool audit_has_hash(const std::string& path, std::string_view hash) {
  if (file_has_hash(path, hash)) return true;
  return std::ranges::any_of(older_audit_parts(path) | std::views::reverse,
                             [&](const AuditPart& part) { return file_has_hash(part.path, hash); });
}

void AuditHeadWriter::write(const std::string& path, std::string_view hash) {
  const std::string name = audit_head_path(path);
  struct stat kept{};
  struct stat named{};
  const bool is_current = file_ && ::fstat(file_.get(), &kept) == 0 && ::lstat(name.c_str(), &named) == 0 &&
                          kept.st_ino == named.st_ino && kept.st_dev == named.st_dev;
  if (!is_current) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
    file_.reset(::open(name.c_str(), kFlags, 0600));
    boot_ = boot_id();
  }
  const std::string line = concat(hash, " ", boot_, "\n");
  if (file_) static_cast<void>(!::pwrite(file_.get(), line.data(), line.size(), 0));
}

}  // namespace helve::core
