#include "toolkit/proposed_edits.h"

#include <algorithm>
#include <list>
#include <map>

#include "base/strings.h"
#include "core/engines.h"
#include "toolkit/file_change.h"
#include "toolkit/file_rules.h"
#include "toolkit/lsp_report.h"
#include "workspace/path_check.h"

namespace helve::toolkit {
namespace {

// One file before and after.
struct EditedFile {
  LoadedText text;
  std::string bytes;  // new content
  std::size_t edits = 0;
};

Error stale(std::string_view path) {
  return {ErrorCode::kConflict, concat(path, " changed while the language server looked at it."),
          "Try again.", JsonObject{{"reason", "changed"}, {"path", path}}};
}

Expected<std::string> workspace_name(const Context& context, const std::string& path) {
  const std::string prefix = concat(context.workspace(), "/");
  if (!path.starts_with(prefix))
    return fail(
        workspace::path_error(ErrorKind::kOutsideBaseDir, path,
                              concat("The language server wants to change ", workspace::printable_path(path),
                                     ", which is outside of the workspace."),
                              "Nothing was changed. Only what the workspace itself defines can be renamed."));
  std::string name = path.substr(prefix.size());
  if (auto editable = check_editable(context, name); !editable) return fail(editable.error());
  return name;
}

// A rename must replace the old name. If other text is there, the server saw a different version.
bool hits_name(std::string_view text, const lsp::FileEdits& file, const lsp::PlannedEdits& planned) {
  if (planned.old_name.empty()) return true;
  const lsp::LineTable lines(text);
  return std::ranges::all_of(file.edits, [&](const lsp::TextEdit& edit) {
    const std::size_t begin = lines.offset_of(edit.range.start, planned.unit);
    const std::size_t end = std::max(begin, lines.offset_of(edit.range.end, planned.unit));
    if (lines.position_of(begin, planned.unit) != edit.range.start) return false;  // beyond the line's end
    // `{a}` may have to become `{a: b}`, which only adds.
    if (edit.range.start == edit.range.end) return true;
    return text.substr(begin, end - begin).find(planned.old_name) != std::string_view::npos;
  });
}

Expected<EditedFile> edit_file(const Context& context, const lsp::FileEdits& file,
                               const lsp::PlannedEdits& planned) {
  const auto name = workspace_name(context, file.path);
  if (!name) return fail(name.error());
  auto loaded = load_text(context, *name);
  if (!loaded) return fail(loaded.error());
  const text::TextEncoding& encoding = loaded->format.encoding;
  const std::string_view body = text::without_bom(loaded->file.bytes, encoding);
  const std::string text = text::decode(body, encoding);
  // Only text that survives decoding and encoding unchanged can be edited by characters.
  if (const auto again = text::encode(text, encoding); !again || *again != body)
    return fail(ErrorCode::kInvalidArgument,
                concat(*name, " has bytes that are invalid in its encoding, so it cannot be changed."),
                "Nothing was changed. Mend the file first.");
  const auto seen = planned.texts.find(file.path);
  if ((seen != planned.texts.end() && *seen->second != text) || !hits_name(text, file, planned))
    return fail(stale(*name));
  auto edited = lsp::apply_edits(text, file.edits, planned.unit);
  if (!edited) return fail(edited.error());
  auto bytes = text::encode(*edited, encoding);
  if (!bytes) return fail(bytes.error());
  EditedFile result{.text = *std::move(loaded), .edits = file.edits.size()};
  result.bytes = concat(text::bom_of(encoding), *bytes);
  return result;
}

Output describe(const Context& context, const EditProposal& proposal, const lsp::PlannedEdits& planned,
                const std::list<EditedFile>& files) {
  Output output;
  JsonArray list;
  std::string diff;
  std::size_t edits = 0;
  std::size_t added = 0;
  std::size_t removed = 0;
  bool whole = true;
  for (const EditedFile& file : files) {
    const std::string& path = file.text.file.path;
    const patch::ChangeReport report = patch::report_change({path, path}, file.text.file.bytes, file.bytes);
    diff += report.diff;
    edits += file.edits;
    added += report.added_lines;
    removed += report.removed_lines;
    whole = whole && report.is_whole;
    output.affected_paths.push_back(path);
    list.emplace_back(JsonObject{{"path", path}, {"edits", file.edits}});
  }
  for (const std::string& note : planned.info.notes) output.content += concat("note: ", note, "\n");
  output.content += diff;
  output.diff_is_whole = whole;
  output.summary =
      concat(context.dry_run() ? "Dry run: " : "", proposal.title(planned), ": ", count_of(edits, "place"),
             " in ", count_of(files.size(), "file"), " (+", added, " −", removed, ")");
  output.data = JsonObject{{"files", std::move(list)}, {"edits", edits}, {"addedLines", added},
                           {"removedLines", removed},  {"diff", diff},   {"dryRun", context.dry_run()}};
  add_answer_info(output.data, planned.info);
  return output;
}

// One attempt.
Result try_edits(Context& context, const EditProposal& proposal) {
  const auto planned = proposal.plan();
  if (!planned) return fail(planned.error());
  std::map<std::string, lsp::FileEdits> by_path;
  for (const lsp::FileEdits& file : planned->files) {
    lsp::FileEdits& all = by_path[file.path];
    all.path = file.path;
    all.edits.insert(all.edits.end(), file.edits.begin(), file.edits.end());
  }
  std::list<EditedFile> files;  // the changes point into them
  for (const auto& [path, edits] : by_path) {
    auto edited = edit_file(context, edits, *planned);
    if (!edited) return fail(edited.error());
    if (edited->bytes != edited->text.file.bytes) files.push_back(*std::move(edited));
  }
  std::string notes;
  if (!context.dry_run() && !files.empty()) {
    std::vector<changes::FileChange> changes;
    for (const EditedFile& file : files) {
      changes::FileChange change{.path = file.text.file.path, .expected = file.text.file.state()};
      change.old_content = file.text.file.bytes;
      change.content = std::vector<std::string_view>{file.bytes};
      changes.push_back(std::move(change));
    }
    const auto committed = commit_changes(context, proposal.tool, changes);
    if (!committed) return fail(committed.error());
    notes = notes_of(*committed);
  }
  Output output = describe(context, proposal, *planned, files);
  output.content += notes;
  if (files.empty()) output.content += "There is nothing to change.\n";
  return output;
}

}  // namespace

Result make_proposed_edits(Context& context, const EditProposal& proposal) {
  constexpr int kTries = 4;
  for (int attempt = 1;; ++attempt) {
    Result result = try_edits(context, proposal);
    if (result || !is_concurrent_change(result.error()) || attempt == kTries || context.should_stop())
      return result;
  }
}

}  // namespace helve::toolkit
