// Settings for the advice to models: the member `guide` of Settings (helve/settings.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// Changes to the advice that models receive about choosing tools and handling failures, and the automatic
// retries.
struct GuideSettings {
  std::map<std::string, std::string> intents;
  std::map<std::string, std::vector<std::string>> fallbacks;
  int retries = 3;
  int retry_ms = 50;

  void describe(ParamSpec& p) {
    p.optional("intents", intents,
               "Tools by need: \"Find text in files\" = \"grep\"; an empty text removes a line.");
    p.optional("fallbacks", fallbacks,
               "What to try when a tool fails: code_query = [\"grep\", \"read\"]; an empty list removes the "
               "advice.");
    p.optional("retries", retries, "Retries of a read-only call after a transient error.",
               {.min = 0, .max = 20});
    p.optional("retry_ms", retry_ms, "Pause before the first retry; it doubles each time.",
               {.min = 0, .max = 60'000});
  }
};

}  // namespace helve
