// Settings for undo: the member `history` of Settings (helve/settings.h).
#pragma once

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// How long changes can be undone.
struct HistorySettings {
  int keep_days = 90;
  int keep_megabytes = 1024;

  void describe(ParamSpec& p) {
    p.optional("keep_days", keep_days, "Days after which changes can no longer be undone.",
               {.min = 1, .max = 36'500});
    p.optional("keep_megabytes", keep_megabytes,
               "Disk space for undo; beyond it the oldest changes are dropped.", {.min = 1});
  }
};

}  // namespace helve
