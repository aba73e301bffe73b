#include "sandbox/shield.h"

#include <sys/prctl.h>

namespace helve::sandbox {

void shield_self() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

}  // namespace helve::sandbox
