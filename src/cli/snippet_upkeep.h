// Maintains the store: backup, check, and a new start after damage.
#pragma once

#include <string>
#include <vector>

#include "app/invocation.h"
#include "store/store.h"

namespace helve::cli {

// Each takes what stands after the action, prints what came of it and returns the exit code.
int back_up_store(const app::Invocation& shell, store::Store& store, const std::vector<std::string>& paths);
int check_store(const app::Invocation& shell, store::Store& store);
int restore_store(const app::Invocation& shell, const std::string& directory,
                  const std::vector<std::string>& paths, bool anew);

}  // namespace helve::cli
