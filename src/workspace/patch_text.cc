#include "workspace/patch_text.h"

#include <charconv>

#include "base/strings.h"

namespace helve {
namespace {

bool is_header(std::string_view line) {
  return line.starts_with("diff --git ") || line.starts_with("--- ") || line.starts_with("@@") ||
         line.starts_with("*** Begin Patch");
}

// Takes digits off the front; false when there are none or far too many.
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
  if (!had_crlf_) return;
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

}  // namespace helve
