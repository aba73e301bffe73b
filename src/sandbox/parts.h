// Helpers for sandbox parts: errors about missing parts, and recording them.
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

// Adds the part to `missing` if the plan allows that, otherwise returns the error.
[[nodiscard]] Expected<void> record_missing(const Plan& plan, Missing& missing, Part part, Error error);

// Why user namespaces fail on this machine, judged by its settings, and how to enable them.
[[nodiscard]] std::string user_namespace_hint();

}  // namespace helve::sandbox
