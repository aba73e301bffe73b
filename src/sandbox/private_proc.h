// A /proc that shows only the command's own processes and none of the machine's levers.
#pragma once

#include "helve/error.h"
#include "sandbox/plan.h"
#include "sandbox/sandbox.h"

namespace helve::sandbox {

// After the new /dev is laid: what must not be read is covered with its empty file.
[[nodiscard]] Expected<void> lay_proc(const Plan& plan, Missing& missing);

}  // namespace helve::sandbox
