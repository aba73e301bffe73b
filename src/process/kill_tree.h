// Signals to all descendants of the calling process, for commands that have no PID namespace of their own.
#pragma once

namespace helve::process {

// To every descendant, once.
void signal_descendants(int number);

// Ends every descendant and waits for them. They are stopped before they are killed, so that none can go on
// forking in the place that another one leaves. The caller is a subreaper and waits for nobody else
// meanwhile. Bounded in time: false when some are left, which have to be another user's or stuck in the
// kernel.
bool kill_descendants();

}  // namespace helve::process
