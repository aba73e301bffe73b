#include "policy/catastrophe_tools.h"

#include <algorithm>

#include "base/strings.h"
#include "policy/catastrophe_programs.h"
#include "policy/catastrophe_scripts.h"
#include "policy/command_words.h"
#include "shell/options.h"

namespace helve::policy {
namespace {

using Found = std::optional<std::string>;
using shell::lists;

bool has_word(FieldSpan words, std::string_view list) {
  return std::ranges::any_of(words, [&](const std::string& word) { return lists(list, word); });
}

// The first of the places that is more than an ordinary one.
Found lost_in(const std::vector<std::string>& files, std::string_view verb, const CatastrophePlaces& places,
              Extent least = Extent::kWorkspace) {
  for (const std::string& file : files)
    if (places.extent_of(file) >= least) return everything_in(verb, file);
  return {};
}

// Archivers that delete what they have packed.
Found judge_packing(std::string_view program, FieldSpan words, const CatastrophePlaces& places) {
  const bool moves = program == "zip"                   ? has_flag(words, "m", "move")
                     : lists("7z 7za 7zr 7zz", program) ? has_word(words, "-sdel")
                                                        : has_word(words, "m mf -df -dr -dw");
  std::vector<std::string> files = operands_of(words);
  if (!moves || files.size() < 2) return {};
  files.erase(files.begin());  // the archive, or the command before it
  return lost_in(files, "delete", places);
}

// Compressors replace files by compressed ones.
Found judge_compressing(std::string_view program, FieldSpan words, const CatastrophePlaces& places) {
  const bool keeps = has_flag(words, "cklt", "stdout") || has_flag(words, "", "keep") ||
                     has_flag(words, "", "list") || has_flag(words, "", "test");
  if (keeps || (program.ends_with("zstd") && !has_word(words, "--rm"))) return {};
  const bool recursive = has_flag(words, "rR", "recursive");
  for (const std::string& file : operands_of(words)) {
    const Extent extent = places.extent_of(file);
    const bool lost = recursive ? extent != Extent::kOrdinary
                                : extent == Extent::kSystem && CatastrophePlaces::is_everything_in(file);
    if (lost) return everything_in("replace", file);
  }
  return {};
}

// sed -i, perl -i, awk -i inplace and the files that a script of sed writes.
Found judge_editing(std::string_view program, FieldSpan words, const CatastrophePlaces& places) {
  const bool in_place = std::ranges::any_of(words, [&](const std::string& word) {
    return word.starts_with("--in-place") ||
           (looks_like_option(word) && !word.starts_with("--") && word.contains('i'));
  });
  std::vector<std::string> files;
  if (in_place) files = operands_of(words);
  if (lists("sed gsed", program))
    for (const std::string& word : words)
      for (std::string& file : read_sed_script(unescaped(word)).files) files.push_back(std::move(file));
  for (const std::string& file : files)
    if (auto disaster = judge_written_file(file, places)) return disaster;
  return {};
}

// Programs that empty the files that they name.
Found judge_emptying(FieldSpan words, const CatastrophePlaces& places) {
  for (const std::string& file : operands_of(words))
    if (CatastrophePlaces::is_everything_in(file) && places.extent_of(file) == Extent::kSystem)
      return everything_in("overwrite", file);
  return {};
}

// fd PATTERN PLACES -x rm
Found judge_fd(FieldSpan words, const CatastrophePlaces& places) {
  std::vector<std::string> before;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view option = std::string_view(words[i]).substr(0, words[i].find('='));
    if (!lists("-x -X --exec --exec-batch", option)) {
      before.push_back(words[i]);
      continue;
    }
    const std::string command = option.size() < words[i].size() ? words[i].substr(option.size() + 1)
                                : i + 1 < words.size()          ? words[i + 1]
                                                                : std::string();
    if (!lists("rm unlink shred srm mv truncate", program_name(unescaped(command)))) return {};
    if (has_flag(before, "etdSo", "extension")) return {};  // only some files
    std::vector<std::string> files = operands_of(before);
    const bool all = files.empty() || lists(". .* ^", unescaped(files.front()));
    if (!all) return {};
    if (!files.empty()) files.erase(files.begin());
    if (files.empty()) files.emplace_back(".");
    return lost_in(files, "delete", places);
  }
  return {};
}

Found judge_git(FieldSpan words, const CatastrophePlaces& places) {
  if (!has_word(words, "clean")) return {};
  const auto clean = std::ranges::find(words, "clean");
  const FieldSpan options(clean + 1, words.end());
  if (!has_flag(options, "f", "force") || has_flag(options, "n", "dry-run")) return {};
  for (std::size_t i = 0; words.begin() + static_cast<std::ptrdiff_t>(i) != clean; ++i) {
    std::string place = words[i] == "-C" && i + 1 < words.size() ? words[i + 1] : std::string();
    if (words[i].starts_with("--work-tree=")) place = words[i].substr(words[i].find('=') + 1);
    if (!place.empty() && places.extent_of(place) == Extent::kSystem) return everything_in("delete", place);
  }
  return {};
}

// Programs whose subcommand deletes the places behind it.
struct DeletingRow {
  std::string_view programs;
  std::string_view words;  // the subcommands
  bool last = false;       // only the last place is lost
};
constexpr DeletingRow kDeleting[] = {
    {.programs = "rclone", .words = "purge delete rmdirs"},
    {.programs = "rclone", .words = "sync", .last = true},
    {.programs = "gio", .words = "remove trash"},
    {.programs = "cmake", .words = "rm remove remove_directory"},
    {.programs = "coreutils", .words = "--coreutils-prog=rm"},
    {.programs = "btrfs", .words = "subvolume"},
    {.programs = "shx", .words = "rm"},
};

Found judge_subcommand(std::string_view program, FieldSpan words, const CatastrophePlaces& places) {
  for (const DeletingRow& row : kDeleting) {
    if (!lists(row.programs, program) || !has_word(words, row.words)) continue;
    if (program == "btrfs" && !has_word(words, "delete")) continue;
    std::vector<std::string> files = operands_of(words);
    std::erase_if(files, [](const std::string& file) { return file.contains(':'); });  // of a remote
    if (row.last && !files.empty()) files = {files.back()};
    if (auto found = lost_in(files, "delete", places)) return found;
  }
  return {};
}

}  // namespace

Found judge_tool(std::string_view program, FieldSpan words, const CatastrophePlaces& places) {
  if (lists("zip 7z 7za 7zr 7zz rar arj lha", program)) return judge_packing(program, words, places);
  if (lists("gzip gunzip pigz bzip2 xz lzma zstd compress", program))
    if (auto found = judge_compressing(program, words, places)) return found;
  if (lists("sed gsed perl ruby awk gawk", program)) return judge_editing(program, words, places);
  if (lists("shred truncate tee", program))
    if (auto found = judge_emptying(words, places)) return found;
  if (lists("fd fdfind", program)) return judge_fd(words, places);
  if (program == "git") return judge_git(words, places);
  if (lists("vim vi nvim view", program))  // -c 'w! /dev/sda'
    for (const std::string& word : words)
      if (const std::size_t path = word.find(" /"); path != std::string::npos && path < 8)
        if (auto disaster = judge_written_file(word.substr(path + 1), places)) return disaster;
  if (lists("tar bsdtar gtar", program) && !words.empty()) {
    // tar cf /dev/sda: letters without a dash
    const std::string first = words[0].starts_with('-') ? words[0] : concat("-", words[0]);
    const bool creates = first.find_first_of("cruA") != std::string::npos || has_word(words, "--create -c");
    std::vector<std::string> all(words.begin(), words.end());
    all[0] = first;
    if (creates)
      for (const std::string& file : values_of_flag(all, "f", "file"))
        if (auto disaster = judge_written_file(file, places)) return disaster;
  }
  if (program == "fsarchiver" || program == "grub-install") {
    for (const std::string& word : words)
      if (const std::size_t dest = word.find("dest="); dest != std::string::npos)
        if (auto disaster = judge_written_file(word.substr(dest + 5), places)) return disaster;
  }
  return judge_subcommand(program, words, places);
}

}  // namespace helve::policy
