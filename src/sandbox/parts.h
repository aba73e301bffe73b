// How the parts of a sandbox are named, done without, and complained about.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "sandbox/plan.h"
#include "sandbox/sandbox.h"

namespace helve::sandbox {

[[nodiscard]] inline bool contains(std::span<const Part> parts, Part part) {
  return std::ranges::find(parts, part) != parts.end();
}

// UNAVAILABLE: "The sandbox lacks its mount namespace: cannot bind /x: Operation not permitted".
[[nodiscard]] Error part_error(Part part, std::string_view what, int error_number, std::string hint = {});

// Notes the part as missing if the plan allows to do without it, otherwise hands the error on.
[[nodiscard]] Expected<void> do_without(const Plan& plan, Missing& missing, Part part, Error error);

// Why this machine gives no user namespace, as far as its settings tell, and what changes that.
[[nodiscard]] std::string user_namespace_hint();

}  // namespace helve::sandbox
