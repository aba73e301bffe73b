// The open-file limits of Helve and of its commands. Each running command needs six descriptors in Helve.
#pragma once

#include <cstdint>

namespace helve {

// Raises the limit as far as the system allows. Some programs break above the usual limit, so commands run
// with the original one.
void raise_descriptor_limit();

// The limit before it was raised; 0 if it was not raised.
[[nodiscard]] std::uint64_t usual_descriptor_limit();
void restore_descriptor_limit(std::uint64_t usual);

}  // namespace helve
