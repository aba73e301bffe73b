// Shows what a change did to a text: a unified diff and the lines around it as they are now.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helve/json.h"
#include "workspace/span_edit.h"

namespace helve {

struct ChangeReport {
  std::string diff;       // bounded; says what it leaves out
  bool is_whole = false;  // the diff shows all of the change
  std::size_t added_lines = 0;
  std::size_t removed_lines = 0;
  std::string
      snippet;  // numbered lines around the first change, as they are afterwards; empty when there are none
};

struct ReportPaths {
  std::string_view old_path;  // empty: the file was created
  std::string_view new_path;  // empty: it was removed
};

// The texts are those of the whole file before, in its own bytes, and what replaces parts of it.
[[nodiscard]] ChangeReport report_change(const ReportPaths& paths, std::string_view bytes,
                                         const TextFormat& format, std::span<const Replacement> replacements);

// The same from whole contents.
[[nodiscard]] ChangeReport report_change(const ReportPaths& paths, std::string_view old_bytes,
                                         std::string_view new_bytes);

// "+3 −1"
[[nodiscard]] std::string counts_text(const ChangeReport& report);

}  // namespace helve
