#include "toolkit/check_file.h"

#include "base/environment.h"
#include "base/find_program.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/engines.h"
#include "core/permission_question.h"
#include "process/shell_choice.h"
#include "text/language.h"
#include "toolkit/program_run.h"

namespace helve::toolkit {
namespace {

// The command line as a user would type it, so that exec rules match it.
std::string typed_line(const Context& context, const checkers::CheckerCommand& command) {
  std::vector<std::string> arguments = command.arguments;
  std::string& program = arguments.front();
  const std::string name = program.substr(program.rfind('/') + 1);
  const std::string here = command.directory == "."
                               ? concat(context.workspace(), "/")
                               : concat(context.workspace(), "/", command.directory, "/");
  if (program.starts_with(here))
    program.erase(0, here.size());
  else if (find_program(name) == program)
    program = name;
  return process::quoted_line(arguments);
}

Expected<void> ask_about_project_code(const Context& context, const checkers::Chosen& chosen,
                                      const checkers::CheckerCommand& command) {
  if (chosen.project_code.empty()) return {};
  const std::string line = typed_line(context, command);
  auto allowed =
      core::may_execute(context, line, command.directory,
                        concat(chosen.spec->name, " may run code of the project: ", chosen.project_code));
  if (allowed) return {};
  Error error = std::move(allowed).error();
  if (error.code == ErrorCode::kPermissionDenied) {
    error.message = concat(chosen.spec->name, " did not run: ", chosen.project_code,
                           ", which needs the same permission as exec. ", error.message);
    error.details["state"] = "did-not-run";
    error.details["command"] = line;
  }
  return fail(std::move(error));
}

}  // namespace

Expected<CheckedFile> load_for_check(const Context& context, std::string_view path) {
  auto loaded = load_text(context, path);
  if (!loaded) return fail(std::move(loaded).error());
  const text::TextEncoding& encoding = loaded->format.encoding;
  CheckedFile file{.loaded = *std::move(loaded), .text = {}, .subject = {}};
  file.text = text::decode(text::without_bom(file.loaded.file.bytes, encoding), encoding);
  file.subject = {.workspace = context.workspace(),
                  .path = file.loaded.file.path,
                  .virtual_environment = environment_variable("VIRTUAL_ENV")};
  if (const auto language = text::language_of(file.subject.path, utf8_prefix(file.text, 1024)))
    file.subject.language = language->id;
  return file;
}

std::string CheckRun::notes() const {
  std::string text;
  for (const auto* notes : {&chosen.notes, &command.notes})
    for (const std::string& note : *notes) text += concat("note: ", note, "\n");
  return text;
}

Expected<CheckRun> run_checker(Context& context, checkers::Purpose purpose, std::string_view wanted,
                               const checkers::Subject& subject, std::string input) {
  auto chosen = checkers::choose_checker(purpose, wanted, subject);
  if (!chosen) return fail(std::move(chosen).error());
  checkers::CheckerCommand command = checkers::make_command(*chosen, subject);
  if (auto asked = ask_about_project_code(context, *chosen, command); !asked)
    return fail(std::move(asked).error());
  auto end = run_program(context, {.arguments = command.arguments,
                                   .directory = command.directory,
                                   .input = chosen->spec->takes_input ? std::move(input) : std::string()});
  if (!end) {
    Error error = std::move(end).error();
    if (error.details.is_null()) error.details = JsonObject();
    if (error.details.is_object()) error.details["state"] = "did-not-run";
    return fail(std::move(error));
  }
  return CheckRun{.chosen = *std::move(chosen),
                  .command = std::move(command),
                  .output = {end->exit_code, std::move(end->output), std::move(end->errors)}};
}

}  // namespace helve::toolkit
