// The model that the settings name, or one that is found on this machine when they name none.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/environment.h"
#include "helve/settings.h"
#include "model/keys.h"
#include "model/local_servers.h"
#include "model/model.h"
#include "model/retries.h"

namespace helve::model {

struct Surroundings {
  std::string keys_file = {};  // ~/.config/helve/keys; empty: none
  Variables variables = environment_variable;
  std::vector<std::uint16_t> ports = usual_ports();
  RetryRules retries = {};
};

struct ChosenModel {
  std::unique_ptr<Model> model = {};
  std::string place = {};                  // for people: "api.openai.com", "Ollama at 127.0.0.1:11434"
  std::vector<std::string> warnings = {};  // for people
};

// Asks servers on this machine what they have where that was not set; other servers are not asked before the
// first reply. NOT_FOUND when nothing is set and nothing is found, with what to set.
[[nodiscard]] Expected<ChosenModel> make_model(const Settings::Model& settings,
                                               const Surroundings& surroundings, const std::stop_token& stop);

// What these tokens cost; 0 when no prices are set.
[[nodiscard]] double cost_of(const Usage& usage, const Settings::Prices& prices);

}  // namespace helve::model
