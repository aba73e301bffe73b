#include "checkers/formatted.h"

#include "base/strings.h"
#include "checkers/read_findings.h"

namespace helve::checkers {

Expected<std::string> read_formatted(const CheckerSpec& spec, const Subject& subject, std::string_view input,
                                     ProgramOutput output) {
  // black 123, prettier and gofmt 2, the others 1: all of them when the text does not parse. black prints the
  // text as it was all the same.
  if (output.exit_code != 0)
    return did_not_run(spec, {.exit_code = output.exit_code, .errors = output.errors},
                       concat("could not format ", subject.path, ", which is as it was"),
                       "Mend what it complains about, then try again.");
  if (trim(output.output).empty() && !trim(input).empty())
    return did_not_run(spec, output, concat("gave back nothing for ", subject.path, ", which is as it was"),
                       "Look at its configuration.");
  return std::move(output.output);
}

}  // namespace helve::checkers
