// Parses unified diffs, git-style and plain, over any number of files.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "patch/patch_hunk.h"
#include "patch/patch_text.h"

namespace helve::patch {
namespace {

constexpr std::string_view kDevNull = "/dev/null";

struct PathPair {
  std::string old_path;
  std::string new_path;
};

std::optional<char> unescaped(char letter) {
  constexpr std::string_view kLetters = "abtnvfr\"\\";
  constexpr std::string_view kMeanings = "\a\b\t\n\v\f\r\"\\";
  const std::size_t found = kLetters.find(letter);
  if (found == std::string_view::npos) return std::nullopt;
  return kMeanings[found];
}

std::optional<std::string> take_quoted(std::string_view& text) {
  std::string name;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return name;
    }
    if (text[at] != '\\') {
      name += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    if (is_octal_digit(text[at])) {
      unsigned value = 0;
      std::size_t digits = 0;
      for (; digits < 3 && at < text.size() && is_octal_digit(text[at]); ++digits, ++at)
        value = value * 8 + static_cast<unsigned>(text[at] - '0');
      if (value == 0 || value > 0xFF) return std::nullopt;
      name += static_cast<char>(static_cast<unsigned char>(value));
      --at;
    } else if (const std::optional<char> c = unescaped(text[at])) {
      name += *c;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool take_prefix(std::string& path, std::string_view prefix) {
  if (path == kDevNull) return true;
  if (!path.starts_with(prefix) || path.size() == prefix.size()) return false;
  path.erase(0, std::min(path.find_first_not_of('/', prefix.size()), path.size() - 1));  // a//name
  return true;
}

bool take_prefixes(PathPair& paths, std::string_view old_prefix, std::string_view new_prefix) {
  PathPair rest = paths;
  if (!take_prefix(rest.old_path, old_prefix) || !take_prefix(rest.new_path, new_prefix)) return false;
  paths = std::move(rest);
  return true;
}

// Where a time stamp such as ` 2024-01-31 10:20:30.5 +0100` ends the text; its size when there is none.
std::size_t find_time_stamp(std::string_view text) {
  constexpr std::string_view kForm = " dddd-dd-dd dd:dd:dd";
  for (std::size_t at = text.find(' '); at != std::string_view::npos; at = text.find(' ', at + 1)) {
    const std::string_view stamp = text.substr(at, kForm.size());
    const bool has_form = std::ranges::equal(
        stamp, kForm, [](char c, char form) { return form == 'd' ? is_digit(c) : c == form; });
    if (has_form && text.find_first_not_of("0123456789.+- ", at + kForm.size()) == std::string_view::npos)
      return at;
  }
  return text.size();
}

// Removes the name from the start of `text`: C-quoted like git's, or everything up to a tab or a time stamp.
// nullopt when a quoted name does not end, has an unknown escape or contains a NUL.
std::optional<std::string> take_patch_path(std::string_view& text) {
  if (text.starts_with('"')) return take_quoted(text);
  const std::size_t tab = text.find('\t');
  // Without a tab, trailing spaces are not part of the name.
  std::string_view name = text.substr(0, tab);
  if (tab == std::string_view::npos) {
    name = name.substr(0, find_time_stamp(name));
    text.remove_prefix(name.size());
    while (name.ends_with(' ')) name.remove_suffix(1);
  } else {
    text.remove_prefix(tab);
  }
  if (name.find('\0') != std::string_view::npos) return std::nullopt;
  return std::string(name);
}

// The two names after `diff --git `, as written; nullopt when spaces make it unclear where the first one
// ends.
std::optional<PathPair> split_git_paths(std::string_view text) {
  if (text.starts_with('"')) {
    std::optional<std::string> first = take_quoted(text);
    if (!first || !text.starts_with(' ')) return std::nullopt;
    text.remove_prefix(1);
    std::optional<std::string> second = take_patch_path(text);
    if (!second) return std::nullopt;
    return PathPair{std::move(*first), std::move(*second)};
  }
  if (text.ends_with('"')) {
    const std::size_t quote = text.find(" \"");
    if (quote == std::string_view::npos) return std::nullopt;
    std::string_view rest = text.substr(quote + 1);
    std::optional<std::string> second = take_quoted(rest);
    if (!second) return std::nullopt;
    return PathPair{std::string(text.substr(0, quote)), std::move(*second)};
  }
  // Both names are equally long, except in renames, where other lines give the names.
  if (text.size() % 2 == 1 && text[text.size() / 2] == ' ') {
    PathPair paths{std::string(text.substr(0, text.size() / 2)),
                   std::string(text.substr(text.size() / 2 + 1))};
    const auto slash = [](const std::string& path) { return std::min(path.find('/'), path.size() - 1) + 1; };
    if (paths.old_path == paths.new_path ||
        paths.old_path.substr(slash(paths.old_path)) == paths.new_path.substr(slash(paths.new_path)))
      return paths;
  }
  if (std::ranges::count(text, ' ') == 1) {
    const std::size_t space = text.find(' ');
    return PathPair{std::string(text.substr(0, space)), std::string(text.substr(space + 1))};
  }
  return std::nullopt;
}

// Removes the prefixes a/ and b/, or git's others (i/ w/ c/ o/) when `is_git`. One of the two may be
// /dev/null.
void strip_prefixes(PathPair& paths, bool is_git) {
  if (take_prefixes(paths, "a/", "b/") || take_prefixes(paths, "a/", "a/")) return;
  if (is_git) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOthers{
        {{"b/", "a/"}, {"i/", "w/"}, {"c/", "i/"}, {"c/", "w/"}, {"o/", "w/"}, {"w/", "i/"}}};
    for (const auto& [old_prefix, new_prefix] : kOthers) {
      if (take_prefixes(paths, old_prefix, new_prefix)) return;
    }
  }
  // One of the two is often missing.
  if (paths.old_path == concat("a/", paths.new_path)) paths.old_path = paths.new_path;
  if (paths.new_path == concat("b/", paths.old_path)) paths.new_path = paths.old_path;
}

// The header lines of one file.
struct FileHeader {
  std::size_t at = 0;
  bool is_git = false;
  std::optional<PathPair> git_paths = {};  // as written after diff --git
  std::optional<PathPair> paths = {};      // as written after --- and +++
  bool old_is_epoch = false;               // the time stamp by which diff -N marks a missing file
  bool new_is_epoch = false;
  std::optional<std::string> from = {};
  std::optional<std::string> to = {};
  bool creates = false;
  bool deletes = false;
  bool renames = false;
  bool copies = false;
};

class UnifiedParser {
 public:
  UnifiedParser(const PatchText& text, const PatchParseOptions& options) : text_(text), options_(options) {}

  Expected<Patch> run() && {
    while (at_ < text_.size()) {
      if (text_.starts(at_, "diff --git ")) {
        if (Expected<void> parsed = parse_git_file(); !parsed) return fail(parsed.error());
      } else if (is_plain_header(text_, at_) || is_half_header(text_, at_)) {
        if (Expected<void> parsed = parse_plain_file(); !parsed) return fail(parsed.error());
      } else if (Expected<void> skipped = skip_line(); !skipped) {
        return fail(skipped.error());
      }
    }
    return std::move(patch_);
  }

 private:
  // Text between files is ignored, except lines that clearly belong to a patch.
  Expected<void> skip_line() {
    if (text_.starts(at_, "diff --cc ") || text_.starts(at_, "diff --combined "))
      return text_.problem(at_, "this is a merge diff, which cannot be applied.",
                           "Send a diff against one version: git diff <commit>.");
    if (is_binary(at_)) return binary_problem();
    if (text_.starts(at_, "--- ") && parse_hunk_header(text_.line(at_ + 1)))
      return text_.problem(
          at_ + 1,
          concat("expected `+++ b/path` after ", text_.quote(at_), ", found ", text_.quote(at_ + 1), "."),
          "A file begins with two lines, `--- a/path` and `+++ b/path`.");
    if (parse_hunk_header(text_.line(at_)))
      return text_.problem(at_, concat("the hunk ", text_.quote(at_), " does not belong to a file."),
                           "Put `--- a/path` and `+++ b/path` before a file's first hunk.");
    ++at_;
    return {};
  }

  [[nodiscard]] bool is_binary(std::size_t at) const {
    return text_.line(at) == "GIT binary patch" ||
           (text_.starts(at, "Binary files ") && text_.line(at).ends_with(" differ"));
  }

  std::unexpected<Error> binary_problem() const {
    return text_.problem(at_, concat("binary patches are not supported, found ", text_.quote(at_), "."),
                         "Remove binary files from the patch. Use write or a command for them.");
  }

  Expected<void> parse_git_file() {
    FileHeader header{.at = at_, .is_git = true, .git_paths = split_git_paths(text_.line(at_).substr(11))};
    FilePatch file{.patch_line = at_ + 1};
    for (++at_; at_ < text_.size() && !text_.starts(at_, "diff --git "); ++at_) {
      if (is_binary(at_)) return binary_problem();
      if (is_plain_header(text_, at_) || is_half_header(text_, at_)) {
        if (Expected<void> parsed = parse_name_lines(header); !parsed) return parsed;
        break;
      }
      Expected<bool> known = parse_extended_line(header, file);
      if (!known) return fail(known.error());
      if (!*known) break;
    }
    return finish(header, std::move(file));
  }

  Expected<void> parse_plain_file() {
    FileHeader header{.at = at_};
    if (Expected<void> parsed = parse_name_lines(header); !parsed) return parsed;
    return finish(header, FilePatch{.patch_line = header.at + 1});
  }

  // Parses one of git's lines between diff --git and ---; false for other lines.
  Expected<bool> parse_extended_line(FileHeader& header, FilePatch& file) {
    std::string_view line = text_.line(at_);
    const auto take = [&line](std::string_view prefix) {
      if (!line.starts_with(prefix)) return false;
      line.remove_prefix(prefix.size());
      return true;
    };
    if (take("old mode ")) return parse_mode(line, file.old_mode);
    if (take("new mode ")) return parse_mode(line, file.new_mode);
    if (take("new file mode ")) {
      header.creates = true;
      return parse_mode(line, file.new_mode);
    }
    if (take("deleted file mode ")) {
      header.deletes = true;
      return parse_mode(line, file.old_mode);
    }
    const bool is_copy = line.starts_with("copy ");
    if (take("rename from ") || take("rename old ") || take("copy from ")) {
      (is_copy ? header.copies : header.renames) = true;
      return parse_name(line, header.from);
    }
    if (take("rename to ") || take("rename new ") || take("copy to ")) {
      (is_copy ? header.copies : header.renames) = true;
      return parse_name(line, header.to);
    }
    return take("similarity index ") || take("dissimilarity index ") || take("index ");
  }

  Expected<bool> parse_mode(std::string_view digits, std::optional<unsigned>& mode) const {
    const auto value = to_number<unsigned>(digits, 8);
    if (!value || *value > 0177777)
      return text_.problem(at_, concat("expected a mode such as 100644, found ", text_.quote(at_), "."));
    mode = value;
    return true;
  }

  Expected<bool> parse_name(std::string_view line, std::optional<std::string>& name) const {
    name = take_patch_path(line);
    if (!name || name->empty())
      return text_.problem(at_, concat("expected a file name, found ", text_.quote(at_), "."));
    return true;
  }

  // Parses the --- and +++ lines and moves at_ behind them. A +++ line alone names both sides.
  Expected<void> parse_name_lines(FileHeader& header) {
    PathPair paths;
    const bool is_half = is_half_header(text_, at_);
    for (std::string* path : {&paths.old_path, &paths.new_path}) {
      if (is_half && path == &paths.old_path) continue;
      std::string_view rest = text_.line(at_).substr(4);
      std::optional<std::string> name = take_patch_path(rest);
      if (!name || name->empty())
        return text_.problem(at_,
                             concat("expected a file name after ", text_.line(at_).substr(0, 3), ", found ",
                                    text_.quote(at_), "."),
                             "Write the path, or /dev/null for a file that is created or deleted.");
      *path = std::move(*name);
      const std::string_view stamp = trim(rest);
      (path == &paths.old_path ? header.old_is_epoch : header.new_is_epoch) =
          stamp.starts_with("1970-01-01 ") || stamp.starts_with("1969-12-31 ");
      ++at_;
    }
    if (is_half) {
      paths.old_path = paths.new_path;
      if (paths.new_path.starts_with("b/")) paths.old_path.replace(0, 1, "a");
    }
    header.paths = std::move(paths);
    return {};
  }

  Expected<void> finish(const FileHeader& header, FilePatch file) {
    if (Expected<void> named = name_file(header, file); !named) return named;
    while (text_.starts(at_, "@@")) {
      const std::string name = concat("hunk ", file.hunks.size() + 1, " of ", file.path());
      Expected<Hunk> hunk = parse_unified_hunk(text_, at_, name, options_, patch_.notes);
      if (!hunk) return fail(hunk.error());
      file.hunks.push_back(std::move(*hunk));
      std::size_t behind = at_;
      while (behind < text_.size() && text_.line(behind).empty()) ++behind;
      if (text_.starts(behind, "@@")) at_ = behind;
    }
    if (file.hunks.empty() && !(header.is_git && changes_without_hunks(file)))
      return text_.problem(at_, concat("expected a hunk of ", file.path(),
                                       " (`@@ -line,count +line,count @@`), found ", text_.quote(at_), "."));
    mark_missing_files(header, file);
    if (Expected<void> checked = check_sides(file); !checked) return checked;
    patch_.files.push_back(std::move(file));
    return {};
  }

  static bool changes_without_hunks(const FilePatch& file) {
    return file.kind != PatchKind::kModify || file.old_mode != file.new_mode;
  }

  Expected<void> name_file(const FileHeader& header, FilePatch& file) const {
    std::optional<PathPair> git_paths = header.git_paths;
    if (git_paths) strip_prefixes(*git_paths, true);
    PathPair paths;
    if (header.paths) {
      paths = *header.paths;
      // The diff --git line has the prefixes even when one side is /dev/null.
      if (git_paths && (paths.old_path == header.git_paths->old_path || paths.old_path == kDevNull) &&
          (paths.new_path == header.git_paths->new_path || paths.new_path == kDevNull)) {
        if (paths.old_path != kDevNull) paths.old_path = git_paths->old_path;
        if (paths.new_path != kDevNull) paths.new_path = git_paths->new_path;
      } else {
        strip_prefixes(paths, header.is_git);
      }
    } else if (git_paths) {
      paths = *git_paths;
    }
    if (header.from) paths.old_path = *header.from;
    if (header.to) paths.new_path = *header.to;
    if (header.creates) paths.old_path = kDevNull;
    if (header.deletes) paths.new_path = kDevNull;
    if (paths.old_path.empty() || paths.new_path.empty())
      return text_.problem(header.at, concat("cannot tell the file names in ", text_.quote(header.at), "."),
                           "Add `--- a/path` and `+++ b/path`, or `rename from` and `rename to`, below it.");
    if (paths.old_path == kDevNull && paths.new_path == kDevNull)
      return text_.problem(header.at, "both sides are /dev/null.",
                           "Name the file that is created or deleted.");
    const bool moves = header.renames || header.copies;
    if (moves && (!header.from || !header.to) && !header.paths)
      return text_.problem(header.at, "a rename or copy needs both its `from` and its `to` line.");
    if (!moves && paths.old_path != kDevNull && paths.new_path != kDevNull && !unify(paths)) {
      if (header.is_git) return fail(two_files_error(header.at + 1, paths.old_path, paths.new_path));
      file.other_path = std::exchange(paths.old_path, paths.new_path);
    }
    file.kind = paths.old_path == kDevNull   ? PatchKind::kCreate
                : paths.new_path == kDevNull ? PatchKind::kDelete
                : header.copies              ? PatchKind::kCopy
                : header.renames             ? PatchKind::kRename
                                             : PatchKind::kModify;
    if (file.kind != PatchKind::kCreate) file.old_path = std::move(paths.old_path);
    if (file.kind != PatchKind::kDelete) file.new_path = std::move(paths.new_path);
    return {};
  }

  // Unifies two names of which one has a suffix (f.orig, f~, f.new), or that are in two trees.
  static bool unify(PathPair& paths) {
    if (paths.old_path == paths.new_path) return true;
    const bool is_old_longer = paths.old_path.size() > paths.new_path.size();
    std::string& longer = is_old_longer ? paths.old_path : paths.new_path;
    const std::string& shorter = is_old_longer ? paths.new_path : paths.old_path;
    if (longer.starts_with(shorter) && (longer[shorter.size()] == '.' || longer[shorter.size()] == '~') &&
        longer.find('/', shorter.size()) == std::string::npos)
      longer = shorter;
    // A date or a revision after the name.
    if (const std::string name = paths.old_path.substr(0, paths.old_path.find(' '));
        !name.empty() && name == paths.new_path.substr(0, paths.new_path.find(' ')))
      paths.old_path = paths.new_path = name;
    const auto below = [](const std::string& path) {
      return path.substr(std::min(path.find('/'), path.size() - 1) + 1);
    };
    if (paths.old_path != paths.new_path && !below(paths.old_path).empty() &&
        below(paths.old_path) == below(paths.new_path)) {
      paths.old_path = below(paths.old_path);
      paths.new_path = paths.old_path;
    }
    return paths.old_path == paths.new_path;
  }

  // diff -N gives a missing file its name with the time stamp 0. Without that, only the range of a single
  // hunk tells that a file is new or empty.
  static void mark_missing_files(const FileHeader& header, FilePatch& file) {
    if (file.kind != PatchKind::kModify || file.hunks.size() != 1) return;
    const auto has_only = [&file](char op) {
      return std::ranges::all_of(file.hunks.front().lines,
                                 [op](const PatchLine& line) { return line.op == op; });
    };
    if (header.old_is_epoch && has_only('+')) {
      file.kind = PatchKind::kCreate;
      file.old_path.clear();
    } else if (header.new_is_epoch && has_only('-')) {
      file.kind = PatchKind::kDelete;
      file.new_path.clear();
    } else {
      file.may_create =
          file.hunks.front().old_start == 1 && file.hunks.front().header_old == 0 && has_only('+');
    }
  }

  Expected<void> check_sides(const FilePatch& file) const {
    if (file.kind != PatchKind::kCreate && file.kind != PatchKind::kDelete) return {};
    const bool creates = file.kind == PatchKind::kCreate;
    for (const Hunk& hunk : file.hunks) {
      for (const PatchLine& line : hunk.lines) {
        if (line.op == (creates ? '+' : '-')) continue;
        return text_.problem(hunk.patch_line - 1,
                             concat("the patch ", creates ? "creates " : "deletes ", file.path(),
                                    ", so all lines of the hunk must start with ", creates ? "+" : "-",
                                    ", found ", quote_line(concat(line.op, line.text)), "."));
      }
    }
    if (creates && file.hunks.size() > 1)
      return text_.problem(file.hunks[1].patch_line - 1,
                           concat(file.path(), " is created, so it has one hunk only."));
    return {};
  }

  const PatchText& text_;
  const PatchParseOptions& options_;
  Patch patch_;
  std::size_t at_ = 0;
};

}  // namespace

Expected<Patch> parse_unified(const PatchText& text, const PatchParseOptions& options) {
  return UnifiedParser(text, options).run();
}

}  // namespace helve::patch
