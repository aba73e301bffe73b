// Settings for long results: the member `results` of Settings (helve/settings.h).
#pragma once

#include <map>
#include <string>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// The limits of long results.
struct ResultSettings {
  bool offload = true;
  int limit = 50'000;
  std::map<std::string, int> limits;
  int batch_limit = 200'000;
  int keep_days = 7;
  int keep_megabytes = 1024;

  void describe(ParamSpec& p) {
    p.optional("offload", offload, "Store long results in files and give the model a stub.");
    p.optional("limit", limit, "Most characters of a result for the model; longer results go to a file.",
               {.min = 2048});
    p.optional("limits", limits, "The same limit by tool name.");
    p.optional("batch_limit", batch_limit, "Most characters for all results of a batch together.",
               {.min = 2048});
    p.optional("keep_days", keep_days, "Days to keep the files of old sessions.", {.min = 0, .max = 36'500});
    p.optional("keep_megabytes", keep_megabytes, "Disk space for the files of old sessions.", {.min = 0});
  }
};

}  // namespace helve
