#include "effects/effects.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <unordered_set>

#include "base/byte_codec.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve::effects {
namespace {

constexpr std::uint64_t kVersion = 1;

// Hashes let undo recognise a file that an editor, or an undo of a later edit, wrote again with the same
// bytes. More than this is recognised by its inode and time alone.
constexpr std::uint64_t kMostHashedFile = std::uint64_t{4} << 20;
constexpr std::uint64_t kMostHashedBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostHashedFiles = 2'000;

UniqueFd open_file(int root, std::string_view path) {
  const Spot spot = find_spot(root, path);
  if (!spot) return {};
  return UniqueFd(::openat(spot.directory.get(), spot.name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

class Settler {
 public:
  Settler(int root, const KeptObjects& objects, const Before& before, const LeftOut& left_out)
      : root_(root), objects_(objects), before_(before), left_out_(left_out) {}

  Effects run() {
    effects_.gap = before_.gap;
    effects_.next_object = before_.next_object;
    collect();
    for (const auto& [path, effect] : found_)
      if (effect.after.node.is_file()) places_.emplace(effect.after.node.inode, path);
    for (auto& [path, effect] : found_) settle(std::move(effect));
    drop_unneeded();
    return std::move(effects_);
  }

 private:
  void add(const std::string& path, NodeState before, NodeState after) {
    found_.try_emplace(path, Effect{path, {.node = std::move(before)}, {.node = std::move(after)}});
  }

  void collect() {
    for (const auto& [path, node] : before_.nodes) {
      NodeState now = node_at(root_, path);
      // An inode number may be used again for a new directory.
      const bool is_other_directory =
          now.is_directory() &&
          (!node.is_directory() || now.inode != node.inode || before_.complete.contains(path));
      add(path, node, std::move(now));
      if (!is_other_directory) continue;
      const bool read = walk_below(root_, path, [&](const std::string& below, const NodeState& found) {
        if (!before_.nodes.contains(below) && !left_out_.contains(below)) add(below, {}, found);
        return true;
      });
      if (!read) note_gap(path, "cannot be read completely");
    }
  }

  void note_gap(std::string_view path, std::string_view reason) {
    if (effects_.gap.empty()) effects_.gap = concat(workspace::printable_path(path), ": ", reason);
  }

  void find_content(Effect& effect) {
    const InodeKey inode = effect.before.node.inode;
    if (const auto copy = before_.copies.find(inode); copy != before_.copies.end())
      effect.before.copy = copy->second;
    if (const auto link = before_.links.find(inode); link != before_.links.end())
      effect.before.link = link->second;
  }

  // A file in a directory that was moved is untouched, and only has another path now.
  void keep_moved(Effect& effect) {
    const auto place = places_.find(effect.before.node.inode);
    if (place == places_.end()) return;
    const Spot spot = find_spot(root_, place->second);
    const std::uint64_t number = effects_.next_object++;
    const NodeState now = node_in(spot);
    if (now.inode != effect.before.node.inode || now.size != effect.before.node.size) return;
    if (objects_.link(spot, number) == 0)
      effect.before.link = number;
    else if (objects_.copy(spot, number) == 0)
      effect.before.copy = number;
  }

  // The bytes are those from before, although the file was opened for writing or replaced.
  [[nodiscard]] bool has_old_bytes(const Effect& effect) const {
    const Side& before = effect.before;
    if (before.node.size != effect.after.node.size) return false;
    const auto object = objects_.open_object(before.copy ? *before.copy : *before.link);
    const UniqueFd now = open_file(root_, effect.path);
    return object && now && same_bytes(object->get(), now.get());
  }

  [[nodiscard]] bool is_unchanged(const Effect& effect) const {
    const Side& before = effect.before;
    const Side& after = effect.after;
    if (!before.node.exists()) return !after.node.exists();
    if (!same_shape(before.node, after.node)) return false;
    if (!before.node.is_file()) return true;
    const bool is_same_inode = before.node.inode == after.node.inode;
    // Replaced by a copy: it no longer shares its bytes with its other names.
    if (!is_same_inode && (before.node.names > 1 || after.node.names > 1)) return false;
    if (is_same_inode && !before.copy) return before.node.size == after.node.size;
    return before.is_kept() && has_old_bytes(effect);
  }

  void settle(Effect effect) {
    if (effect.before.node.is_file()) find_content(effect);
    if (is_unchanged(effect)) return;
    Side& before = effect.before;
    const bool is_same_file = before.node.is_file() && before.node.inode == effect.after.node.inode;
    if (!before.is_kept() && !is_same_file) keep_moved(effect);
    if (!before.is_kept() && !is_same_file) note_gap(effect.path, "its content was not kept");
    if (before.node.kind == NodeKind::kOther && !S_ISFIFO(before.node.mode) &&
        effect.after.node.kind != NodeKind::kOther)
      note_gap(effect.path, "sockets and devices are not kept");
    if (effect.after.node.is_file()) hash_present(effect);
    if (before.copy || before.link) hash_kept(before);
    if (before.copy) needed_.insert(*before.copy);
    if (before.link) needed_.insert(*before.link);
    effects_.all.push_back(std::move(effect));
  }

  void hash_present(Effect& effect) {
    if (!takes(effect.after.node.size)) return;
    if (const UniqueFd file = open_file(root_, effect.path)) effect.after.hash = hash_of(file.get());
  }

  // So that damage on the disk is noticed before it is restored.
  void hash_kept(Side& side) {
    if (hashed_kept_bytes_ + side.node.size > kMostHashedKeptBytes) return;
    hashed_kept_bytes_ += side.node.size;
    const auto object = objects_.open_object(side.copy ? *side.copy : *side.link);
    if (object) side.hash = hash_of(object->get());
  }

  bool takes(std::uint64_t size) {
    if (size > kMostHashedFile || hashed_bytes_ + size > kMostHashedBytes ||
        hashed_files_ == kMostHashedFiles)
      return false;
    hashed_bytes_ += size;
    ++hashed_files_;
    return true;
  }

  void drop_unneeded() {
    for (std::uint64_t number = 1; number < before_.next_object; ++number)
      if (!needed_.contains(number)) objects_.remove(number);
  }

  const int root_;
  const KeptObjects& objects_;
  const Before& before_;
  const LeftOut& left_out_;
  std::map<std::string, Effect, std::less<>> found_;
  std::unordered_map<InodeKey, std::string> places_;  // of the files that are there now
  std::unordered_set<std::uint64_t> needed_;
  std::uint64_t hashed_bytes_ = 0;
  std::uint64_t hashed_kept_bytes_ = 0;
  std::size_t hashed_files_ = 0;
  Effects effects_;
};

void write_side(ByteWriter& writer, const Side& side) {
  write_node(writer, side.node);
  writer.number(side.copy ? *side.copy + 1 : 0);
  writer.number(side.link ? *side.link + 1 : 0);
  writer.text(side.hash);
}

Side read_side(ByteReader& reader) {
  Side side;
  side.node = read_node(reader);
  if (const std::uint64_t copy = reader.number(); copy != 0) side.copy = copy - 1;
  if (const std::uint64_t link = reader.number(); link != 0) side.link = link - 1;
  side.hash = reader.text();
  return side;
}

}  // namespace

std::uint64_t Effects::kept_bytes() const {
  std::uint64_t bytes = 0;
  for (const Effect& effect : all)
    for (const Side* side : {&effect.before, &effect.after})
      if (side->node.is_file() && (side->copy || side->link)) bytes += side->node.size;
  return bytes;
}

Effects settle(int root, const KeptObjects& objects, const Before& before, const LeftOut& left_out) {
  return Settler(root, objects, before, left_out).run();
}

std::string encode_effects(const Effects& effects) {
  ByteWriter writer;
  writer.number(kVersion);
  writer.text(effects.gap);
  writer.number(effects.next_object);
  writer.number(effects.all.size());
  for (const Effect& effect : effects.all) {
    writer.text(effect.path);
    write_side(writer, effect.before);
    write_side(writer, effect.after);
  }
  const std::string body = writer.take();
  return sha256_hex(body) + body;
}

std::optional<Effects> decode_effects(std::string_view bytes) {
  constexpr std::size_t kHash = 64;
  if (bytes.size() < kHash || sha256_hex(bytes.substr(kHash)) != bytes.substr(0, kHash)) return std::nullopt;
  ByteReader reader(bytes.substr(kHash));
  if (reader.number() != kVersion) return std::nullopt;
  Effects effects;
  effects.gap = reader.text();
  effects.next_object = reader.number();
  const std::size_t count = reader.count();
  for (std::size_t i = 0; i < count && reader.is_good(); ++i) {
    Effect effect;
    effect.path = reader.text();
    effect.before = read_side(reader);
    effect.after = read_side(reader);
    effects.all.push_back(std::move(effect));
  }
  if (!reader.is_good() || !reader.is_at_end()) return std::nullopt;
  return effects;
}

std::string hash_of(int file) {
  Sha256 hash;
  std::vector<char> buffer(std::size_t{64} << 10);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file, buffer.data(), buffer.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) return hash.hex();
    hash.add({buffer.data(), static_cast<std::size_t>(got)});
    at += got;
  }
}

}  // namespace helve::effects
