#include "effects/recorder.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/byte_codec.h"
#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve::effects {
namespace {

// Kinds of journal entries. The numbers are part of the format.
enum class Entry : unsigned char { kNode = 1, kCopy = 2, kLink = 3, kComplete = 4, kGap = 5 };

ByteWriter entry_of(Entry entry) {
  ByteWriter writer;
  writer.number(static_cast<unsigned char>(entry));
  return writer;
}

void read_entry(std::string_view bytes, Before& before) {
  ByteReader reader(bytes);
  switch (static_cast<Entry>(reader.number())) {
    case Entry::kNode: {
      std::string path(reader.text());
      NodeState node = read_node(reader);
      if (reader.is_good()) before.nodes.emplace(std::move(path), std::move(node));
      break;
    }
    case Entry::kCopy:
    case Entry::kLink: {
      const bool is_copy = bytes.front() == static_cast<char>(Entry::kCopy);
      InodeKey inode{reader.number(), reader.number()};
      const std::uint64_t number = reader.number();
      if (!reader.is_good()) break;
      (is_copy ? before.copies : before.links).emplace(inode, number);
      before.next_object = std::max(before.next_object, number + 1);
      break;
    }
    case Entry::kComplete: before.complete.emplace(reader.text()); break;
    case Entry::kGap:
      if (before.gap.empty()) before.gap = reader.text();
      break;
  }
}

}  // namespace

Before read_journal(std::string_view bytes) {
  Before before;
  ByteReader reader(bytes);
  while (!reader.is_at_end()) {
    const std::string_view entry = reader.text();
    if (!reader.is_good() || entry.empty()) break;  // the last entry may be torn
    read_entry(entry, before);
  }
  return before;
}

bool Recorder::open_storage() {
  if (tried_) return storage_.has_value();
  tried_ = true;
  auto opened = open_();
  if (opened)
    storage_.emplace(std::move(*opened));
  else if (before_.gap.empty())
    before_.gap = opened.error().message;
  return storage_.has_value();
}

void Recorder::add_journal(std::string_view entry) {
  if (!open_storage()) return;
  ByteWriter writer;
  writer.text(entry);
  if (!write_all(storage_->journal.get(), writer.bytes()) && before_.gap.empty())
    before_.gap = "Helve's state directory cannot be written";
}

void Recorder::note_gap(std::string_view path, std::string_view reason) {
  if (!before_.gap.empty()) return;
  before_.gap = concat(workspace::printable_path(path), ": ", reason);
  ByteWriter entry = entry_of(Entry::kGap);
  entry.text(before_.gap);
  add_journal(entry.bytes());
}

bool LeftOut::contains(std::string_view path) const {
  for (const std::string& place : paths)
    if (is_within(path, place)) return true;
  if (names.empty()) return false;
  return std::ranges::any_of(
      split(path, '/'), [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); });
}

bool Recorder::was_absent(std::string_view path) const {
  if (before_.nodes.contains(path)) return false;
  for (std::string_view above = parent_path(path); !above.empty(); above = parent_path(above)) {
    const auto known = before_.nodes.find(above);
    if (known == before_.nodes.end()) continue;
    if (!known->second.is_directory()) return true;
    if (before_.complete.contains(known->first)) return true;
  }
  return false;
}

void Recorder::add_node(const std::string& path, const NodeState& node) {
  before_.nodes.emplace(path, node);
  ByteWriter entry = entry_of(Entry::kNode);
  entry.text(path);
  write_node(entry, node);
  add_journal(entry.bytes());
}

NodeState Recorder::remember(const std::string& path, const Spot& spot) {
  NodeState node = node_in(spot);
  if (before_.nodes.contains(path) || was_absent(path)) return node;
  if (before_.nodes.size() >= budget_.entries) {
    note_gap(path, concat("more than ", with_thousands(budget_.entries), " paths changed"));
    return node;
  }
  NodeState original = node;
  if (const auto known = originals_.find(node.inode); known != originals_.end()) {
    original.size = known->second.size;
    original.modified_ns = known->second.modified_ns;
  }
  add_node(path, original);
  return node;
}

bool Recorder::copy_object(const std::string& path, const Spot& spot, const NodeState& node,
                           std::uint64_t number) {
  if (!open_storage()) return false;
  if (node.size > budget_.largest_file) {
    note_gap(path, concat("too large to keep (", with_thousands(node.size >> 20), " MB)"));
    return false;
  }
  if (before_.copied_bytes + node.size > budget_.bytes) {
    note_gap(path, concat("more than ", with_thousands(budget_.bytes >> 20), " MB would have to be kept"));
    return false;
  }
  if (const int error = storage_->objects.copy(spot, number); error != 0) {
    note_gap(path, concat("cannot keep its content: ", errno_text(error)));
    return false;
  }
  before_.copied_bytes += node.size;
  return true;
}

void Recorder::add_object(bool is_copy, const InodeKey& inode, std::uint64_t number) {
  (is_copy ? before_.copies : before_.links).emplace(inode, number);
  ByteWriter entry = entry_of(is_copy ? Entry::kCopy : Entry::kLink);
  for (const std::uint64_t value : {inode.device, inode.inode, number}) entry.number(value);
  add_journal(entry.bytes());
}

void Recorder::keep_inode(const std::string& path, const Spot& spot, const NodeState& node) {
  if (before_.links.contains(node.inode)) return;
  const bool has_copy = before_.copies.contains(node.inode);
  // With a copy, the inode itself is only needed for its other names.
  if (has_copy && node.names < 2) return;
  const std::uint64_t number = before_.next_object++;
  if (open_storage() && storage_->objects.link(spot, number) == 0)
    add_object(false, node.inode, number);
  else if (!has_copy && copy_object(path, spot, node, number))
    add_object(true, node.inode, number);
}

void Recorder::keep_content(const std::string& path, const Spot& spot, const NodeState& node) {
  if (before_.copies.contains(node.inode)) return;
  const std::uint64_t number = before_.next_object++;
  if (!copy_object(path, spot, node, number)) return;
  originals_.emplace(node.inode, node);
  add_object(true, node.inode, number);
}

bool Recorder::is_from_before(std::string_view path, const NodeState& node) const {
  if (moved_.contains(node.inode)) return true;
  const auto known = before_.nodes.find(path);
  return known != before_.nodes.end() && known->second.exists() && known->second.inode == node.inode;
}

void Recorder::before_create(const std::string& path) {
  if (left_out_.contains(path) || before_.nodes.contains(path) || was_absent(path)) return;
  remember(path, find_spot(root_, path));
}

void Recorder::before_attributes(const std::string& path) { before_create(path); }

void Recorder::before_write(const std::string& path) {
  if (left_out_.contains(path)) return;
  // Files that the command made itself need not be kept.
  const bool is_new = was_absent(path);
  if (is_new && moved_.empty()) return;
  const Spot spot = find_spot(root_, path);
  const NodeState node = remember(path, spot);
  if (node.is_file() && is_from_before(path, node)) keep_content(path, spot, node);
}

void Recorder::before_remove(const std::string& path) {
  if (left_out_.contains(path)) return;
  const bool is_new = was_absent(path);
  if (is_new && moved_.empty()) return;
  const Spot spot = find_spot(root_, path);
  const NodeState node = remember(path, spot);
  if (node.is_file() && is_from_before(path, node)) keep_inode(path, spot, node);
  if (!node.is_directory() || !is_from_before(path, node)) return;
  // Only an empty directory can be removed: all of its former children are in the record.
  bool is_empty = true;
  const bool read =
      walk_below(root_, path, [&](const std::string&, const NodeState&) { return is_empty = false; });
  if (!read || !is_empty || !before_.complete.insert(path).second) return;
  ByteWriter entry = entry_of(Entry::kComplete);
  entry.text(path);
  add_journal(entry.bytes());
}

void Recorder::remember_tree(const std::string& path) {
  bool within = true;
  const bool read = walk_below(root_, path, [&](const std::string& below, const NodeState& node) {
    if (left_out_.contains(below)) return true;
    if (node.is_file() && !was_absent(below)) moved_.insert(node.inode);
    if (before_.nodes.contains(below) || was_absent(below)) return true;
    within = before_.nodes.size() < budget_.entries;
    if (!within) return false;
    add_node(below, node);
    return true;
  });
  if (!read || !within) {
    note_gap(path, within ? "cannot be read completely"
                          : concat("more than ", with_thousands(budget_.entries), " paths changed"));
    return;
  }
  if (!before_.complete.insert(path).second) return;
  ByteWriter entry = entry_of(Entry::kComplete);
  entry.text(path);
  add_journal(entry.bytes());
}

void Recorder::before_rename(const std::string& from, const std::string& to) {
  for (const std::string* path : {&from, &to}) {
    if (left_out_.contains(*path)) continue;
    const bool is_new = was_absent(*path);
    const Spot spot = find_spot(root_, *path);
    const NodeState node = remember(*path, spot);
    if (node.is_file() && is_from_before(*path, node)) {
      moved_.insert(node.inode);
      // A moved file may be changed or removed elsewhere, so it is kept now, where its path is known.
      keep_inode(*path, spot, node);
    } else if (node.is_directory() && !is_new) {
      remember_tree(*path);
    }
  }
}

void Recorder::before_link(const std::string& from, const std::string& to) {
  if (left_out_.contains(to)) return;
  const bool is_new = was_absent(from);
  const Spot spot = find_spot(root_, from);
  const NodeState node = is_new ? node_in(spot) : remember(from, spot);
  if (node.is_file() && is_from_before(from, node)) moved_.insert(node.inode);
  before_create(to);
}

}  // namespace helve::effects
