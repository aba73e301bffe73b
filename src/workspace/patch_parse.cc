#include "workspace/patch_parse.h"

#include "base/strings.h"
#include "workspace/patch_hunk.h"
#include "workspace/patch_text.h"

namespace helve {
namespace {

enum class Form { kUnified, kBeginPatch, kContextDiff, kNone };

Form form_of(const PatchText& text) {
  Form form = Form::kNone;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view line = text.line(at);
    if (line.starts_with("*** Begin Patch") || line.starts_with("*** Update File:") ||
        line.starts_with("*** Add File:") || line.starts_with("*** Delete File:"))
      return Form::kBeginPatch;
    if (line.starts_with("diff --git ") || is_plain_header(text, at)) return Form::kUnified;
    if (line.starts_with("***************")) form = Form::kContextDiff;
  }
  return form;
}

constexpr std::string_view kForms =
    "Send a unified diff (`--- a/path`, `+++ b/path`, `@@ -line,count +line,count @@`) or the `*** Begin "
    "Patch` form.";

}  // namespace

Expected<Patch> parse_patch(std::string_view text, const PatchParseOptions& options) {
  const PatchText lines(text);
  const Form form = form_of(lines);
  if (form == Form::kContextDiff)
    return fail(ErrorCode::kInvalidArgument,
                "This is a context diff (`***************`), which is not supported.", std::string(kForms));
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

}  // namespace helve
