// Settings for caches: the member `caches` of Settings (helve/settings.h).
#pragma once

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// Data that can be rebuilt: symbol indexes and tool lists.
struct CacheSettings {
  int keep_days = 90;
  int keep_megabytes = 1024;

  void describe(ParamSpec& p) {
    p.optional("keep_days", keep_days, "Days to keep an unused cache.", {.min = 1, .max = 36'500});
    p.optional("keep_megabytes", keep_megabytes,
               "Disk space for caches; beyond it the least recently used are removed.", {.min = 0});
  }
};

}  // namespace helve
