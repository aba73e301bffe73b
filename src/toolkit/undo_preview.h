// Previews of undo and history: the answers of dry runs, also shown on the approval card.
#pragma once

#include <cstddef>

#include "changes/changes.h"
#include "helve/context.h"
#include "helve/result.h"

namespace helve::toolkit {

[[nodiscard]] Result what_would_be_undone(const Context& context, const changes::ChangeFilter& filter,
                                          std::size_t steps);
[[nodiscard]] Result what_would_be_redone(const Context& context, const changes::ChangeFilter& filter);
[[nodiscard]] Result what_would_be_forgotten(const Context& context, const changes::ChangeFilter& filter);

}  // namespace helve::toolkit
