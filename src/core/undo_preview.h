// What undo and history would do: the answers of their dry runs, and what a person sees before agreeing.
#pragma once

#include <cstddef>

#include "helve/context.h"
#include "helve/result.h"
#include "workspace/changes.h"

namespace helve {

[[nodiscard]] Result what_would_be_undone(const Context& context, const ChangeFilter& filter,
                                          std::size_t steps);
[[nodiscard]] Result what_would_be_redone(const Context& context, const ChangeFilter& filter);
[[nodiscard]] Result what_would_be_forgotten(const Context& context, const ChangeFilter& filter);

}  // namespace helve
