#include "patch/patch_parse.h"

#include <charconv>

#include "base/strings.h"
#include "patch/patch_hunk.h"
#include "patch/patch_text.h"

namespace helve::patch {
namespace {

bool is_header(std::string_view line) {
  return line.starts_with("diff --git ") || line.starts_with("--- ") || line.starts_with("+++ ") ||
         line.starts_with("@@") || trim(line).starts_with("*** Begin Patch");
}

// Removes digits from the front; false when there are none or too many.
bool take_number(std::string_view& text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > 0xFFFF'FFFF) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

enum class Form { kUnified, kBeginPatch, kContextDiff, kNone };

Form form_of(const PatchText& text) {
  Form form = Form::kNone;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view line = text.line(at);
    const std::string_view word = trim(line);
    if (word.starts_with("*** Begin Patch") || word.starts_with("*** Update File:") ||
        word.starts_with("*** Add File:") || word.starts_with("*** Delete File:"))
      return Form::kBeginPatch;
    if (line.starts_with("diff --git ") || is_plain_header(text, at) || is_half_header(text, at))
      return Form::kUnified;
    if (line.starts_with("***************")) form = Form::kContextDiff;
  }
  return form;
}

constexpr std::string_view kForms =
    "Send a unified diff (`--- a/path`, `+++ b/path`, `@@ -line,count +line,count @@`) or the `*** Begin "
    "Patch` form.";

}  // namespace

PatchText::PatchText(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) return;
  lines_ = split(text, '\n');
  for (const std::string_view line : lines_) {
    if (!is_header(line)) continue;
    had_crlf_ = line.ends_with('\r');
    break;
  }
  if (had_crlf_) drop_carriage_returns();
}

void PatchText::drop_carriage_returns() {
  for (std::string_view& line : lines_) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
}

std::unexpected<Error> PatchText::problem(std::size_t at, std::string_view message, std::string hint) const {
  return fail(ErrorCode::kInvalidArgument, concat("Patch line ", at + 1, ": ", message), std::move(hint),
              JsonObject{{"patchLine", at + 1}});
}

std::string PatchText::quote(std::size_t at) const {
  return at < size() ? quote_line(line(at)) : "the end of the patch";
}

void add_note(std::vector<std::string>& notes, std::string note) {
  constexpr std::size_t kMostNotes = 20;
  if (notes.size() > kMostNotes) return;
  notes.push_back(notes.size() < kMostNotes ? std::move(note) : "More notes on the patch were left out.");
}

std::optional<HunkHeader> parse_hunk_header(std::string_view line) {
  HunkHeader header;
  if (!take(line, "@@ -") || !take_number(line, header.old_start)) return std::nullopt;
  if (take(line, ",") && !take_number(line, header.old_count)) return std::nullopt;
  if (!take(line, " +") || !take_number(line, header.new_start)) return std::nullopt;
  if (take(line, ",") && !take_number(line, header.new_count)) return std::nullopt;
  if (!take(line, " @@")) return std::nullopt;
  header.section = trim(line);
  return header;
}

Error two_files_error(std::size_t patch_line, const std::string& one, const std::string& other) {
  return {ErrorCode::kInvalidArgument,
          concat("Patch line ", patch_line, ": the header names two files, ", quote_line(one), " and ",
                 quote_line(other), "."),
          "Name the same file twice to change it. To rename it, write `diff --git a/old b/new`, `rename from "
          "old` and `rename to new` above.",
          JsonObject{{"patchLine", patch_line}}};
}

Expected<Patch> parse_patch(std::string_view text, const PatchParseOptions& options) {
  PatchText lines(text);
  const Form form = form_of(lines);
  if (form == Form::kContextDiff)
    return fail(ErrorCode::kInvalidArgument,
                "This is a context diff (`***************`), which is not supported.", std::string(kForms));
  // Added lines of that form get the line endings of their file, so it cannot mean its own.
  if (form == Form::kBeginPatch) lines.drop_carriage_returns();
  Expected<Patch> patch =
      form == Form::kBeginPatch ? parse_begin_patch(lines) : parse_unified(lines, options);
  if (!patch) return patch;
  if (patch->files.empty())
    return fail(
        ErrorCode::kInvalidArgument,
        concat("The patch changes no file: in ", count_of(lines.size(), "line"), " there is no file header."),
        std::string(kForms));
  if (lines.had_crlf()) add_note(patch->notes, "The patch has CRLF line ends; every file keeps its own.");
  return patch;
}

}  // namespace helve::patch
