// Anthropic's Messages API.
#pragma once

#include <memory>

#include "model/dialect.h"

namespace helve::model {

[[nodiscard]] std::unique_ptr<Dialect> anthropic_dialect();

}  // namespace helve::model
