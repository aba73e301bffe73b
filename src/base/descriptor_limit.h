// How many files Helve may have open, and how many its commands: each command that runs takes Helve six.
#pragma once

#include <cstdint>

namespace helve {

// Takes as many as the system allows this process. Programs that were written for the usual limit break on
// higher ones, so commands get that one back.
void raise_descriptor_limit();

// The limit before it was raised; 0 when it was not.
[[nodiscard]] std::uint64_t usual_descriptor_limit();
void restore_descriptor_limit(std::uint64_t usual);

}  // namespace helve
