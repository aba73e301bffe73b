// The model that the settings name.
#pragma once

#include <memory>

#include "agent/guards.h"
#include "helve/settings.h"
#include "model/model.h"

namespace helve::cli {

[[nodiscard]] Expected<std::unique_ptr<model::Model>> open_model(const Settings& settings);
[[nodiscard]] agent::Prices prices_of(const Settings& settings);

}  // namespace helve::cli
