#include "changes/blob_store.h"

#include <fcntl.h>
#include <sodium/crypto_generichash.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/file_write.h"
#include "workspace/open_file.h"
#include "workspace/temporary_file.h"

namespace helve::changes {
namespace {

constexpr char kSeparator = '.';

std::string name_of(std::span<const std::string_view> content) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES);
  for (const std::string_view piece : content)
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(piece.data()), piece.size());
  std::array<unsigned char, crypto_generichash_BYTES> hash;
  crypto_generichash_final(&state, hash.data(), hash.size());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (const unsigned char byte : hash) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 0xF];
  }
  return name;
}

std::string owned_name(std::string_view name, std::string_view owner) {
  return concat(name, kSeparator, owner);
}

// Empty for the name of a content itself.
std::string_view owner_in(std::string_view name) {
  const std::size_t separator = name.find(kSeparator);
  return separator == std::string_view::npos ? std::string_view() : name.substr(separator + 1);
}

}  // namespace

Expected<BlobStore::Stored> BlobStore::put(std::span<const std::string_view> content, std::string_view owner,
                                           Need need, workspace::Durability durability) const {
  const bool must_sync = need == Need::kDurable && durability != workspace::Durability::kNone;
  std::string name = name_of(content);
  const std::string owned = owned_name(name, owner);
  const auto failure = [](int error) {
    return fail(workspace::write_error("write", workspace::kHistoryName, error));
  };
  if (::linkat(directory_, name.c_str(), directory_, owned.c_str(), 0) == 0 || errno == EEXIST) {
    if (need == Need::kBestEffort) return Stored{std::move(name)};
    // The first writer may not have synced it, and a power loss may have damaged it since.
    std::uint64_t size = 0;
    for (const std::string_view piece : content) size += piece.size();
    if (get(name, owner, size)) {
      const UniqueFd fd(::openat(directory_, owned.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      const int error = !fd ? errno : must_sync ? workspace::sync_file(fd.get()) : 0;
      if (error != 0) return failure(error);
      return Stored{std::move(name)};
    }
    ::unlinkat(directory_, owned.c_str(), 0);
    ::unlinkat(directory_, name.c_str(), 0);
  }
  auto file = workspace::TemporaryFile::create(directory_, workspace::kHistoryName, 0600);
  if (!file) return fail(file.error());
  if (const int error = workspace::write_pieces(file->fd(), content); error != 0) return failure(error);
  if (must_sync) {
    if (const int error = workspace::sync_file(file->fd()); error != 0) return failure(error);
  }
  if (const int error = file->give_name(owned); error != 0) return failure(error);
  // Without this link the content is stored but not shared.
  [[maybe_unused]] const int linked = ::linkat(directory_, owned.c_str(), directory_, name.c_str(), 0);
  return Stored{std::move(name), true};
}

int BlobStore::sync(workspace::Durability durability) const {
  return durability == workspace::Durability::kFull ? workspace::sync_directory(directory_) : 0;
}

Expected<std::string> BlobStore::get(const std::string& name, std::string_view owner,
                                     std::uint64_t size) const {
  workspace::OpenFile file;
  file.path = workspace::kHistoryName;
  file.fd.reset(
      ::openat(directory_, owned_name(name, owner).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.fd || ::fstat(file.fd.get(), &file.status) != 0)
    return fail(system_error("The history no longer has this content", errno));
  auto bytes = workspace::read_content(file, static_cast<std::size_t>(size));
  if (!bytes) return fail(bytes.error());
  const std::string_view content = *bytes;
  if (content.size() != size || name_of(std::span(&content, 1)) != name)
    return fail(ErrorCode::kExecutionFailed,
                "The history is damaged: stored content does not match its hash.",
                "The disk may be failing. Restore the file from version control or a backup.");
  return bytes;
}

void BlobStore::drop_unowned(const std::string& name) const {
  struct stat status;
  if (::fstatat(directory_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_nlink == 1)
    ::unlinkat(directory_, name.c_str(), 0);
}

void BlobStore::release(const std::string& name, std::string_view owner) const {
  ::unlinkat(directory_, owned_name(name, owner).c_str(), 0);
  drop_unowned(name);
}

std::vector<std::string> BlobStore::names() const {
  std::vector<std::string> all;
  const int listing = ::openat(directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listing < 0) return all;
  const DirectoryStream stream(::fdopendir(listing));
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr)
    if (entry->d_name[0] != '.') all.emplace_back(entry->d_name);
  return all;
}

std::vector<std::string> BlobStore::owners() const {
  std::vector<std::string> all;
  for (const std::string& name : names()) {
    const std::string_view owner = owner_in(name);
    if (!owner.empty()) all.emplace_back(owner);
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

void BlobStore::release_all(std::span<const std::string> owners) const {
  const std::vector<std::string> all = names();
  for (const std::string& name : all)
    if (std::ranges::find(owners, owner_in(name)) != owners.end()) ::unlinkat(directory_, name.c_str(), 0);
  for (const std::string& name : all)
    if (owner_in(name).empty()) drop_unowned(name);
}

}  // namespace helve::changes
