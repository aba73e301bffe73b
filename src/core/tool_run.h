// Runs one tool: catches exceptions, and gives up on a tool that does not return.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/worker_pool.h"
#include "helve/context.h"
#include "helve/registry.h"
#include "helve/tool.h"

namespace helve::core {

using ToolStep = Result (PreparedCall::*)(Context& context) const;

// A tool that throws gives EXECUTION_FAILED.
[[nodiscard]] Result run_tool(const RegisteredTool& tool, const PreparedCall& call, Context& context,
                              ToolStep step = &PreparedCall::execute);

// A prepared call together with the tool that it needs.
struct GuardedCall {
  std::shared_ptr<const RegisteredTool> tool;
  std::shared_ptr<const PreparedCall> call;
};
// Runs on a thread of the pool. A tool that ignores its stop is abandoned after a grace period: the caller
// gets an error at once, and the thread ends whenever the tool returns.
[[nodiscard]] Result run_guarded(WorkerPool& workers, GuardedCall call, Context::Parts context,
                                 ToolStep step = &PreparedCall::execute);

// The error for an exception from a tool, permissions or an approver. Also logs it, because it is a fault.
[[nodiscard]] Error failed_unexpectedly(const std::string& tool, Logger& logger,
                                        const std::exception_ptr& thrown);

// Runs a step that calls tools, permissions or approvers. An exception becomes EXECUTION_FAILED.
template <class Step>
[[nodiscard]] std::optional<Error> caught(const std::string& tool, Logger& logger, const Step& step) {
  try {
    return step();
  } catch (...) {
    return failed_unexpectedly(tool, logger, std::current_exception());
  }
}

// CANCELLED or TIMEOUT for a call whose turn never came.
[[nodiscard]] Error no_turn_error(const std::stop_token& stop);

// True when it was stopped.
bool sleep_unless_stopped(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace helve::core
