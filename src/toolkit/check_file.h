// Shared by format_code and lint_code: loading the file, choosing the program, permission to run it, running
// it.
#pragma once

#include <string>
#include <string_view>

#include "checkers/find_checker.h"
#include "checkers/finding.h"
#include "helve/context.h"
#include "toolkit/file_change.h"

namespace helve::toolkit {

// A file that is about to be checked or formatted.
struct CheckedFile {
  LoadedText loaded;
  std::string text;  // as UTF-8, without a byte order mark
  checkers::Subject subject;
};
[[nodiscard]] Expected<CheckedFile> load_for_check(const Context& context, std::string_view path);

struct CheckRun {
  checkers::Chosen chosen;
  checkers::CheckerCommand command;
  checkers::ProgramOutput output;

  // For the caller: which program was chosen, and its limitations.
  [[nodiscard]] std::string notes() const;
};
// Runs the program read-only and without network, with `input` on its stdin. If it would run code of the
// project, it needs the same permission as exec.
[[nodiscard]] Expected<CheckRun> run_checker(Context& context, checkers::Purpose purpose,
                                             std::string_view wanted, const checkers::Subject& subject,
                                             std::string input);

}  // namespace helve::toolkit
