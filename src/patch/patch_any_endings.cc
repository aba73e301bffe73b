#include "patch/patch_any_endings.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "patch/diff.h"

namespace helve::patch {
namespace {

struct PlainLines {
  std::string text;  // every line ends with \n
  std::vector<std::string_view> endings;
};

PlainLines plain_lines(std::string_view text) {
  PlainLines plain;
  plain.text.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n");
    plain.text += text.substr(0, end);
    if (end == std::string_view::npos) break;
    const std::string_view ending = text.substr(end, text.substr(end).starts_with("\r\n") ? 2 : 1);
    plain.endings.push_back(ending);
    plain.text += '\n';
    text.remove_prefix(end + ending.size());
  }
  return plain;
}

std::string with_endings(std::string_view patched, const PlainLines& old) {
  const std::vector<LineEdit> edits = diff_lines(old.text, patched);
  auto edit = edits.begin();
  std::size_t old_line = 0;
  std::string text;
  for (std::size_t line = 0; !patched.empty(); ++line) {
    const std::size_t end = patched.find('\n');
    text += patched.substr(0, end);
    if (end == std::string_view::npos) break;
    patched.remove_prefix(end + 1);
    for (; edit != edits.end() && edit->after.end_line() <= line; ++edit) old_line = edit->before.end_line();
    const bool is_new = edit != edits.end() && edit->after.first_line <= line;
    text += is_new ? old.endings.front() : old.endings[old_line++];
  }
  return text;
}

}  // namespace

Expected<PatchedText> apply_hunks_to_any_lines(std::string_view old_text, const FilePatch& patch) {
  const PlainLines plain = plain_lines(old_text);
  auto patched = apply_hunks(plain.text, patch);
  if (!patched || plain.endings.empty()) return patched;
  patched->text = with_endings(patched->text, plain);
  for (HunkReport& hunk : patched->hunks)
    if (hunk.note.empty()) hunk.note = "the file's line endings were kept";
  return patched;
}

}  // namespace helve::patch
