// Keeps other processes of the same user from looking into this one.
#pragma once

namespace helve::sandbox {

// Afterwards no process without CAP_SYS_PTRACE can trace this one, read its memory or environment, or reach
// files through its /proc entry. For Helve itself, the waiting launcher and the init of every sandbox; not
// inherited over exec.
void shield_self();

}  // namespace helve::sandbox
