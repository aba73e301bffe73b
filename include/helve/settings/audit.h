// Settings for the audit: the member `audit` of Settings (helve/settings.h).
#pragma once

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// The record of all calls.
struct AuditSettings {
  bool enabled = true;
  bool sync = false;
  int keep_megabytes = 1024;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled, "Record every call.");
    p.optional("sync", sync, "Sync every record to disk.");
    p.optional("keep_megabytes", keep_megabytes,
               "Disk space for the audit; beyond it the oldest records are removed. 0 keeps everything.",
               {.min = 0});
  }
};

}  // namespace helve
