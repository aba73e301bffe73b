// What format_code and lint_code share: the file, the program for it, leave to run it, and its run.
#pragma once

#include <string>
#include <string_view>

#include "checkers/command.h"
#include "checkers/finding.h"
#include "core/file_change.h"
#include "helve/context.h"

namespace helve {

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

  // For the caller: what was chosen and why it may be worth less than hoped.
  [[nodiscard]] std::string notes() const;
};
// Runs the program read-only and without network, with `input` on its stdin. When it would run code that came
// with the project, exec's rules decide and exec's question is asked first.
[[nodiscard]] Expected<CheckRun> run_checker(Context& context, checkers::Purpose purpose,
                                             std::string_view wanted, const checkers::Subject& subject,
                                             std::string input);

}  // namespace helve
