// Settings for the agent: the member `agent` of Settings (helve/settings.h).
#pragma once

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// Limits for the agent.
struct AgentSettings {
  int calls = 128;
  int rounds = 0;
  int minutes = 0;
  int tokens = 0;
  double money = 0;
  int trim_percent = 75;
  int keep_sessions = 1000;

  void describe(ParamSpec& p) {
    p.optional("calls", calls, "Most tool calls in one turn.", {.min = 1, .max = 100'000});
    p.optional("rounds", rounds, "Most model replies in one turn; 0 means no limit.", {.min = 0});
    p.optional("minutes", minutes, "Time limit for one turn; 0 means no limit.", {.min = 0});
    p.optional("tokens", tokens, "Most tokens in a session, input and output; 0 means no limit.", {.min = 0});
    p.optional("money", money, "Cost limit of a session, by model.prices; 0 means no limit.", {.min = 0});
    p.optional("trim_percent", trim_percent,
               "How full the context window may be before old results are shortened.",
               {.min = 10, .max = 100});
    p.optional("keep_sessions", keep_sessions,
               "Sessions to keep; the least recently used are removed first. 0 keeps all.", {.min = 0});
  }
};

}  // namespace helve
