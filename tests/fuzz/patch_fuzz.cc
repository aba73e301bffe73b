// Feeds arbitrary bytes to the readers of patches, and applies what they read to arbitrary text: libFuzzer,
// clang++ -fsanitize=fuzzer,address. The text comes first, then a zero byte, then the patch.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "patch/patch_apply.h"
#include "patch/patch_parse.h"

using namespace helve;

// The same patch gives the same text; one that changes no line and deletes nothing changes no byte.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string all(data, data + size);
  const std::size_t border = all.find('\0');
  const std::string_view old_text = std::string_view(all).substr(0, border);
  const auto patch = patch::parse_patch(
      border == std::string::npos ? std::string_view(all) : std::string_view(all).substr(border + 1));
  if (!patch) return 0;
  for (const patch::FilePatch& file : patch->files) {
    const auto applied = patch::apply_hunks(old_text, file);
    const auto again = patch::apply_hunks(old_text, file);
    if (applied.has_value() != again.has_value()) __builtin_trap();
    if (!applied) continue;
    if (applied->text != again->text || applied->hunks.size() != file.hunks.size()) __builtin_trap();
    bool changes = false;
    for (const patch::Hunk& hunk : file.hunks)
      for (const patch::PatchLine& line : hunk.lines) changes = changes || line.op != ' ';
    if (!changes && file.kind != patch::PatchKind::kDelete && applied->text != old_text) __builtin_trap();
  }
  return 0;
}
