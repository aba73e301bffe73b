#include "policy/catastrophe_programs.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/strings.h"
#include "policy/catastrophe_tools.h"
#include "policy/catastrophe_words.h"
#include "policy/command_words.h"
#include "shell/options.h"

namespace helve::policy {
namespace {

using Span = FieldSpan;
using Found = std::optional<std::string>;
using shell::lists;

Found judge_deletion(std::string_view program, Span words, const CatastrophePlaces& places) {
  const bool recursive = program != "rm" || has_flag(words, "rR", "recursive");
  for (const std::string& word : operands_of(words)) {
    const Extent extent = places.extent_of(word);
    // Without -r, only the files of a directory are lost.
    const bool lost = recursive ? extent != Extent::kOrdinary
                                : extent == Extent::kSystem && CatastrophePlaces::is_everything_in(word);
    if (lost) return everything_in("delete", word);
  }
  return {};
}

constexpr std::string_view kSelectingTests =
    "-empty -mtime -mmin -atime -amin -ctime -cmin -newer -newermt -anewer -cnewer -size -user -group -uid "
    "-gid -perm -links "
    "-inum -samefile -nouser -nogroup -fstype -xtype -executable -used -context";
constexpr std::string_view kNameTests =
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname";
constexpr std::string_view kDeleters = "rm unlink shred srm wipe rmdir truncate";
constexpr std::string_view kChangers = "mv chmod chown chgrp setfacl chattr dd tee gzip bzip2 xz";
constexpr std::string_view kFindActions = "-exec -execdir -ok -okdir";

// The branches of an expression of find, between -o and commas.
std::vector<Span> branches_of(Span expression) {
  std::vector<Span> found;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= expression.size(); ++i) {
    if (i < expression.size() && expression[i] != "-o" && expression[i] != "-or" && expression[i] != ",")
      continue;
    found.push_back(expression.subspan(begin, i - begin));
    begin = i + 1;
  }
  return found;
}

bool selects(Span branch) {
  bool files = false;
  bool shallow = false;
  for (std::size_t i = 0; i < branch.size(); ++i) {
    const std::string& word = branch[i];
    if (lists(kFindActions, word)) break;
    if (word == "!" || word == "-not") {
      ++i;  // everything but these
    } else if (lists(kSelectingTests, word)) {
      return true;
    } else if (lists(kNameTests, word) && i + 1 < branch.size()) {
      std::string value = unescaped(branch[++i]);
      if (word.ends_with("path") || word.ends_with("wholename")) value = value.substr(value.rfind('/') + 1);
      if (word.ends_with("regex") ? value != ".*" : !CatastrophePlaces::is_everything_in(value)) return true;
      if (word.ends_with("path") && unescaped(branch[i]).find_first_not_of("./*") != std::string::npos)
        return true;
    } else if (word == "-type" && i + 1 < branch.size()) {
      if (branch[i + 1] != "f" && branch[i + 1] != "d") return true;
      files = files || branch[i + 1] == "f";
      ++i;
    } else if (word == "-maxdepth") {
      shallow = true;
    }
  }
  return files && shallow;
}

// Where the expression of find begins.
std::size_t expression_of(Span words) {
  std::size_t starts = 0;
  while (starts < words.size() &&
         (words[starts] == "-L" || words[starts] == "-P" || words[starts] == "-H" ||
          (!looks_like_option(words[starts]) && words[starts] != "(" && words[starts] != "!")))
    ++starts;
  return starts;
}

enum class FindAction { kNone, kDelete, kChange };

FindAction action_of(Span branch) {
  for (std::size_t i = 0; i < branch.size(); ++i) {
    if (branch[i] == "-delete") return FindAction::kDelete;
    if (!lists(kFindActions, branch[i])) continue;
    for (std::size_t k = i + 1; k < branch.size() && branch[k] != ";" && branch[k] != "+"; ++k) {
      const std::string text = unescaped(branch[k]);
      for (const std::string& part : split_words(text)) {
        if (lists(kDeleters, program_name(part))) return FindAction::kDelete;
        if (lists(kChangers, program_name(part))) return FindAction::kChange;
      }
      // Only the program, or the text of a shell, names a command.
      const std::string first = unescaped(branch[i + 1]);
      const std::string_view program = program_name(first);
      if (!lists("sh bash zsh dash ksh env sudo nice xargs busybox", program)) break;
    }
  }
  return FindAction::kNone;
}

Found judge_find(Span words, const CatastrophePlaces& places) {
  const std::size_t starts = expression_of(words);
  for (const Span branch : branches_of(words.subspan(starts))) {
    const FindAction action = action_of(branch);
    if (action == FindAction::kNone || selects(branch)) continue;
    const Extent least = action == FindAction::kDelete ? Extent::kWorkspace : Extent::kSystem;
    const std::string_view verb = action == FindAction::kDelete ? "delete" : "change";
    if (starts == 0 && places.extent_of(".") >= least)
      return concat(verb, " everything in the current directory");
    for (const std::string& word : words.first(starts))
      if (!looks_like_option(word) && places.extent_of(word) >= least) return everything_in(verb, word);
  }
  return {};
}

Found judge_attributes(std::string_view program, Span words, const CatastrophePlaces& places) {
  const std::vector<std::string> found = operands_of(words);
  const bool recursive = has_flag(words, "R", "recursive");
  const bool mode = program == "chmod";
  if (!recursive) {
    // Without its modes, nobody can use the directory.
    const bool closes = mode && (has_flag(words, "rwx", "") ||
                                 (!found.empty() && lists("0 00 000 0000 a-rwx ugo-rwx a= =", found[0])));
    if (!closes) return {};
  }
  const bool no_first = program == "setfacl" || program == "chattr" || has_flag(words, "", "reference") ||
                        (mode && has_flag(words, "rwx", ""));
  for (std::size_t i = no_first ? 0 : 1; i < found.size(); ++i)
    if (places.extent_of(found[i]) == Extent::kSystem)
      return everything_in(
          program == "chown" || program == "chgrp" ? "change the owners of" : "change the modes of",
          found[i]);
  return {};
}

Found judge_move(Span words, const CatastrophePlaces& places) {
  std::vector<std::string> found = operands_of(words);
  const std::vector<std::string> targets = values_of_flag(words, "t", "target-directory");
  if (targets.empty() && !found.empty()) found.pop_back();
  for (const std::string& source : found) {
    if (std::ranges::find(targets, source) != targets.end()) continue;
    const Extent extent = places.extent_of(source);
    if (extent == Extent::kSystem ||
        (extent == Extent::kWorkspace && !CatastrophePlaces::is_everything_in(source)))
      return everything_in("move away", source);
  }
  return {};
}

Found judge_copies(std::string_view program, Span words, const CatastrophePlaces& places) {
  if (program == "rsync") {
    const bool deletes = std::ranges::any_of(words, [](const std::string& word) {
      return word.starts_with("--del") || word == "--remove-source-files";
    });
    const std::vector<std::string> found = operands_of(words);
    if (!deletes || found.empty()) return {};
    for (const std::string& place : found)
      if ((&place == &found.back() || std::ranges::count(words, "--remove-source-files") > 0) &&
          places.extent_of(place) != Extent::kOrdinary && !place.contains(':'))
        return everything_in("delete", place);
    return {};
  }
  if (std::ranges::find(words, "--remove-files") == words.end()) return {};
  for (const std::string& place : operands_of(words))
    if (places.extent_of(place) != Extent::kOrdinary) return everything_in("delete", place);
  return {};
}

Found judge_kill(Span words) {
  std::size_t first = 0;
  if (!words.empty() && looks_like_option(words[0]) && words[0] != "--")
    first = lists("-s -n --signal", words[0]) ? 2 : 1;
  for (std::size_t i = first; i < words.size(); ++i)
    if (words[i] == "-1") return "kill every process";
  return {};
}

// Which operands or options of a program name a file that it writes as a whole.
struct WriterRow {
  std::string_view programs;
  enum class Where { kAll, kLast, kSecond, kOnlySecond, kAssigned, kOption, kAfter } where = Where::kAll;
  std::string_view only = {};    // words one of which must be there
  std::string_view except = {};  // words with which it only reads
  std::string_view letters = {};
  std::string_view name = {};
};
constexpr WriterRow kWriters[] = {
    {.programs = "mkfs mke2fs mkntfs mkdosfs newfs mkswap blkdiscard shred wipe srm tee sponge truncate "
                 "pvcreate pvremove "
                 "cfdisk mkfs.ext4 format diskpart vgcreate vgremove growpart scrub nwipe"},
    {.programs = "wipefs", .only = "-a --all -o --offset -af -fa --force -f"},
    {.programs = "sgdisk gdisk cgdisk", .except = "-p --print -l -v --verify -i --info"},
    {.programs = "sfdisk fdisk", .except = "-l --list -d --dump -J --json -s -x --list-details -V -v"},
    {.programs = "parted", .except = "print -l --list unit align-check"},
    {.programs = "cryptsetup", .only = "luksFormat luksErase erase format reencrypt luksKillSlot"},
    {.programs = "nvme", .only = "format sanitize write write-zeroes write-uncor security-send"},
    {.programs = "hdparm",
     .only =
         "--security-erase --security-erase-enhanced --trim-sector-ranges --write-sector --make-bad-sector "
         "--repair-sector --sanitize-crypto-scramble --sanitize-block-erase --sanitize-overwrite"},
    {.programs = "badblocks", .only = "-w -wv -ws -wsv -svw -sw -n"},
    {.programs = "mdadm", .only = "--zero-superblock --create -C"},
    {.programs = "sg_format sg_sanitize"},
    {.programs = "zpool", .only = "create labelclear"},
    {.programs = "btrfs", .only = "mkfs"},
    {.programs = "flash_erase flash_eraseall nandwrite flashcp"},
    {.programs = "cp install mv ln",
     .where = WriterRow::Where::kLast,
     .letters = "t",
     .name = "target-directory"},
    {.programs = "ddrescue dd_rescue partclone.restore", .where = WriterRow::Where::kSecond},
    {.programs = "dd dcfldd dc3dd", .where = WriterRow::Where::kAssigned},
    {.programs = "curl sort iconv shuf",
     .where = WriterRow::Where::kOption,
     .letters = "o",
     .name = "output"},
    {.programs = "pv", .where = WriterRow::Where::kOption, .letters = "o", .name = "output"},
    {.programs = "wget", .where = WriterRow::Where::kOption, .letters = "Oo", .name = "output-document"},
    {.programs = "qemu-img", .where = WriterRow::Where::kLast, .only = "convert"},
    {.programs = "qemu-img", .where = WriterRow::Where::kAssigned, .only = "dd"},
    {.programs = "qemu-img", .only = "create resize commit rebase amend bench"},
    {.programs = "qemu-io ed ex red objcopy strip"},
    {.programs = "uniq", .where = WriterRow::Where::kOnlySecond},
    {.programs = "xxd", .where = WriterRow::Where::kOnlySecond, .only = "-r -revert"},
    {.programs = "vim vi nvim view", .only = "+w +w! +wq +wq! +x +x! w w! wq wq! x x!"},
    {.programs = "openssl", .where = WriterRow::Where::kAfter, .only = "-out"},
    {.programs = "gpg gpg2", .where = WriterRow::Where::kOption, .letters = "o", .name = "output"},
    {.programs = "zstd", .where = WriterRow::Where::kOption, .letters = "o"},
    {.programs = "cpio", .where = WriterRow::Where::kOption, .letters = "OF", .name = "file"},
    {.programs = "dump ntfsclone", .where = WriterRow::Where::kOption, .letters = "fO", .name = "overwrite"},
    {.programs = "btrfs", .only = "add delete remove replace"},
    {.programs = "btrfs-convert"},
    {.programs = "fallocate",
     .only = "-z -p -d -c -i --zero-range --punch-hole --dig-holes --collapse-range --insert-range"},
};

bool has_one_of(Span words, std::string_view list) {
  return std::ranges::any_of(words, [&](const std::string& word) { return lists(list, word); });
}

Found judge_writer(std::string_view program, Span words, const CatastrophePlaces& places) {
  const std::string_view name = program.starts_with("mkfs.") || program.starts_with("newfs_") ? "mkfs"
                                : program.starts_with("partclone.")                           ? "zstd"  // -o
                                                                                              : program;
  using Where = WriterRow::Where;
  for (const WriterRow& row : kWriters) {
    if (!lists(row.programs, name)) continue;
    if (!row.only.empty() && !has_one_of(words, row.only)) continue;
    if (!row.except.empty() && has_one_of(words, row.except)) continue;
    std::vector<std::string> files;
    const std::vector<std::string> found = operands_of(words);
    if (!row.letters.empty()) files = values_of_flag(words, row.letters, row.name);
    if (row.where == Where::kAll) files = found;
    if (row.where == Where::kLast && files.empty() && !found.empty()) files = {found.back()};
    if (row.where == Where::kSecond && found.size() > 1) files = {found[1]};
    if (row.where == Where::kSecond && found.size() == 1) files = {found[0]};
    if (row.where == Where::kOnlySecond && found.size() > 1) files = {found[1]};
    if (row.where == Where::kAfter)
      for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (lists(row.only, words[i])) files.push_back(words[i + 1]);
    if (row.where == Where::kAssigned)
      for (const std::string& word : words)
        if (word.starts_with("of=")) files.push_back(word.substr(3));
    for (const std::string& file : files)
      if (auto disaster = judge_written_file(file, places)) return disaster;
  }
  return {};
}

Found judge_volumes(std::string_view program, Span words) {
  const std::vector<std::string> found = operands_of(words);
  if ((program == "lvremove" || program == "vgremove") && !found.empty())
    return concat("delete the volume ", unescaped(found[0]));
  if (program == "dmsetup" && !found.empty() && (found[0] == "remove_all" || found[0] == "wipe_table"))
    return "delete the volumes of the machine";
  if ((program == "zpool" || program == "zfs") && found.size() > 1 && found[0] == "destroy" &&
      !has_flag(words, "n", ""))
    return concat("delete the volume ", unescaped(found[1]));
  return {};
}

}  // namespace

std::string unescaped(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out += pattern[i];
  }
  return out;
}

bool finds_everything(const Fields& words) {
  const Span arguments = Span(words).subspan(1);
  const auto branches = branches_of(arguments.subspan(expression_of(arguments)));
  return std::ranges::any_of(branches, [](Span branch) { return !selects(branch); });
}

std::optional<std::string> judge_written_file(std::string_view pattern, const CatastrophePlaces& places) {
  if (unescaped(pattern) == "/proc/sysrq-trigger") return "stop the machine at once";
  if (!places.is_disk(pattern)) return {};
  return concat("overwrite the disk ", unescaped(pattern));
}

std::optional<std::string> judge_program(const Fields& words, const CatastrophePlaces& places) {
  if (words.empty()) return {};
  const std::string program(program_name(unescaped(words.front())));
  const Span arguments = Span(words).subspan(1);
  if (lists("rm srm wipe rimraf del-cli trash trash-put", program))
    if (auto found = judge_deletion(program, arguments, places)) return found;
  if (program == "find") return judge_find(arguments, places);
  if (lists("chmod chown chgrp setfacl chattr chcon", program))
    return judge_attributes(program, arguments, places);
  if (program == "mv")
    if (auto found = judge_move(arguments, places)) return found;
  if (lists("rsync tar bsdtar gtar", program))
    if (auto found = judge_copies(program, arguments, places)) return found;
  if (program == "kill") return judge_kill(arguments);
  if (program == "killall5") return "kill every process";
  if (auto found = judge_volumes(program, arguments)) return found;
  if (auto found = judge_tool(program, arguments, places)) return found;
  return judge_writer(program, arguments, places);
}

}  // namespace helve::policy
