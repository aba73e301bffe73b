// Creates the model that the settings name, or one found on this machine if they name none.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "helve/error.h"
#include "helve/settings/model.h"
#include "model/api_keys.h"
#include "model/local_servers.h"
#include "model/model.h"
#include "model/retries.h"

namespace helve::model {

struct ModelEnvironment {
  std::string keys_file = {};  // ~/.config/helve/keys; empty: none
  Variables variables = environment_variable;
  std::vector<std::uint16_t> ports = default_ports();
  RetryRules retries = {};
};

struct ChosenModel {
  std::unique_ptr<Model> model = {};
  std::string place = {};                  // for the user: "api.openai.com", "Ollama at 127.0.0.1:11434"
  std::vector<std::string> warnings = {};  // for the user
};

// Queries servers on this machine for values that are not set; contacts no other server before the first
// reply. Fails with NOT_FOUND and a hint when no model is set and none is found.
[[nodiscard]] Expected<ChosenModel> make_model(const ModelSettings& settings,
                                               const ModelEnvironment& environment,
                                               const std::stop_token& stop);

// The cost of these tokens; 0 without prices.
[[nodiscard]] double cost_of(const Usage& usage, const ModelPrices& prices);

// A base URL, parsed.
struct Address {
  std::string origin = {};  // "https://api.openai.com"
  std::string place = {};   // "api.openai.com", with the port if there is one
  std::string host = {};    // without the port
  std::string path = {};    // "/v1"; never ends with a slash
  bool is_encrypted = false;
  bool is_loopback = false;
};

// Fails with INVALID_ARGUMENT for anything but an http or https URL, or if it contains a password.
[[nodiscard]] Expected<Address> read_address(std::string_view base_url);

}  // namespace helve::model
