// Reads unified diffs, git-style and plain, over any number of files.
#include <algorithm>

#include "base/strings.h"
#include "base/to_number.h"
#include "workspace/patch_hunk.h"
#include "workspace/patch_path.h"
#include "workspace/patch_text.h"

namespace helve {
namespace {

// What the lines before the hunks of one file say.
struct FileHeader {
  std::size_t at = 0;
  bool is_git = false;
  std::optional<PathPair> git_paths = {};  // as written behind diff --git
  std::optional<PathPair> paths = {};      // as written behind --- and +++
  bool old_is_epoch = false;               // a time stamp by which diff -N marks a file that is not there
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
      } else if (is_plain_header(text_, at_)) {
        if (Expected<void> parsed = parse_plain_file(); !parsed) return fail(parsed.error());
      } else if (Expected<void> skipped = skip_line(); !skipped) {
        return fail(skipped.error());
      }
    }
    return std::move(patch_);
  }

 private:
  // Text between files is ignored, but not what was surely meant as part of a patch.
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
      return text_.problem(at_, concat("the hunk ", text_.quote(at_), " belongs to no file."),
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
                         "Leave binary files out of the patch; use write or a command for them.");
  }

  Expected<void> parse_git_file() {
    FileHeader header{.at = at_, .is_git = true, .git_paths = split_git_paths(text_.line(at_).substr(11))};
    FilePatch file{.patch_line = at_ + 1};
    for (++at_; at_ < text_.size() && !text_.starts(at_, "diff --git "); ++at_) {
      if (is_binary(at_)) return binary_problem();
      if (is_plain_header(text_, at_)) {
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

  // One of git's lines between diff --git and ---; false when it is none.
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

  // The --- and +++ lines; leaves at_ behind them.
  Expected<void> parse_name_lines(FileHeader& header) {
    PathPair paths;
    for (std::string* path : {&paths.old_path, &paths.new_path}) {
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
    header.paths = std::move(paths);
    return {};
  }

  Expected<void> finish(const FileHeader& header, FilePatch file) {
    if (Expected<void> named = name_file(header, file); !named) return named;
    while (text_.starts(at_, "@@") && header.paths) {
      const std::string name = concat("hunk ", file.hunks.size() + 1, " of ", file.path());
      Expected<Hunk> hunk = parse_unified_hunk(text_, at_, name, options_, patch_.notes);
      if (!hunk) return fail(hunk.error());
      file.hunks.push_back(std::move(*hunk));
      std::size_t behind = at_;
      while (behind < text_.size() && text_.line(behind).empty()) ++behind;
      if (text_.starts(behind, "@@")) at_ = behind;
    }
    if (header.paths && file.hunks.empty() && !(header.is_git && changes_without_hunks(file)))
      return text_.problem(at_, concat("expected a hunk of ", file.path(),
                                       " (`@@ -line,count +line,count @@`), found ", text_.quote(at_), "."));
    if (!header.paths && text_.starts(at_, "@@"))
      return text_.problem(at_, concat("expected `--- a/path` and `+++ b/path` before the first hunk of ",
                                       file.path(), ", found ", text_.quote(at_), "."));
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
      // The diff --git line knows the prefixes even when one side is /dev/null.
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
    if (!moves && paths.old_path != kDevNull && paths.new_path != kDevNull && !unify(paths))
      return text_.problem(header.at,
                           concat("the header names two files, ", quote_line(paths.old_path), " and ",
                                  quote_line(paths.new_path), "."),
                           "Name the same file twice to change it. To rename it, write `diff --git a/old "
                           "b/new`, `rename from old` "
                           "and `rename to new` above.");
    file.kind = paths.old_path == kDevNull   ? PatchKind::kCreate
                : paths.new_path == kDevNull ? PatchKind::kDelete
                : header.copies              ? PatchKind::kCopy
                : header.renames             ? PatchKind::kRename
                                             : PatchKind::kModify;
    if (file.kind != PatchKind::kCreate) file.old_path = std::move(paths.old_path);
    if (file.kind != PatchKind::kDelete) file.new_path = std::move(paths.new_path);
    return {};
  }

  // Makes one name of two that differ as a backup or a second tree does.
  static bool unify(PathPair& paths) {
    if (paths.old_path == paths.new_path) return true;
    for (const std::string_view suffix : {".orig", ".old", ".bak", "~"}) {
      if (paths.old_path == concat(paths.new_path, suffix)) paths.old_path = paths.new_path;
    }
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

  // diff -N names a missing file as any other, with the oldest of all time stamps.
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

}  // namespace helve
