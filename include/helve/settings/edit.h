// Settings for edits: the member `edit` of Settings (helve/settings.h).
#pragma once

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// How edits match.
struct EditSettings {
  bool loose_matches = false;

  void describe(ParamSpec& p) {
    p.optional(
        "loose_matches", loose_matches,
        "Accept a single match that differs only in white space or typographic characters, and report it.");
  }
};

}  // namespace helve
