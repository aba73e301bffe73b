#include "cli/agent_model.h"

namespace helve::cli {

Expected<std::unique_ptr<model::Model>> open_model(const Settings& /*settings*/) {
  return fail(ErrorCode::kUnavailable, "There is no way to reach a model yet.");
}

agent::Prices prices_of(const Settings& settings) {
  const Settings::Prices& prices = settings.model.prices;
  return {.input = prices.input, .cached = prices.cached, .output = prices.output};
}

}  // namespace helve::cli
