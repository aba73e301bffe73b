#include "core/session_state.h"

#include <unistd.h>

#include "base/strings.h"
#include "helve/session.h"

namespace helve {

OutputDirectory::~OutputDirectory() {
  if (path.empty()) return;
  for (const std::string_view name : {"/output/held", "/output", ""}) ::rmdir(concat(path, name).c_str());
}

SessionState& session_state(const Context& context) { return context.session().state(); }

}  // namespace helve
