// Describes a change of a text: a unified diff and the current lines around it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helve/json.h"
#include "text/span_edit.h"

namespace helve::patch {

struct ChangeReport {
  std::string diff;       // bounded; says what is left out
  bool is_whole = false;  // the diff shows the whole change
  std::size_t added_lines = 0;
  std::size_t removed_lines = 0;
  // Numbered new lines around the first change; empty when there are none.
  std::string snippet;
};

struct ReportPaths {
  std::string_view old_path;  // empty: the file was created
  std::string_view new_path;  // empty: it was removed
};

// `bytes` is the whole old file in its own encoding.
[[nodiscard]] ChangeReport report_change(const ReportPaths& paths, std::string_view bytes,
                                         const text::TextFormat& format,
                                         std::span<const text::Replacement> replacements);

// The same for whole contents.
[[nodiscard]] ChangeReport report_change(const ReportPaths& paths, std::string_view old_bytes,
                                         std::string_view new_bytes);

// Characters of a text in any encoding; bytes of binary content.
[[nodiscard]] std::size_t text_length(std::string_view bytes);

// "+3 −1"
[[nodiscard]] std::string counts_text(const ChangeReport& report);

}  // namespace helve::patch
