// Runs one tool: caught, and guarded against never coming back.
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

namespace helve {

using ToolStep = Result (Tool::*)(Context& context, const Json& arguments) const;

// A tool that throws gives EXECUTION_FAILED.
[[nodiscard]] Result run_tool(const Tool& tool, Context& context, const Json& arguments,
                              ToolStep step = &Tool::execute);

// Runs on a thread of the pool. A tool that ignores its stop for too long is left behind and answered for.
[[nodiscard]] Result run_guarded(WorkerPool& workers, std::shared_ptr<const RegisteredTool> tool,
                                 Context::Parts context, Json arguments, ToolStep step = &Tool::execute);

// What a call uses, with paths in one form.
[[nodiscard]] std::vector<Resource> resources_of(const Tool& tool, const Json& arguments,
                                                 const std::string& workspace);

// What an exception that somebody else's code threw is to the caller; logged, because it is a fault.
[[nodiscard]] Error failed_unexpectedly(const std::string& tool, Logger& logger,
                                        const std::exception_ptr& thrown);

// Runs a step that asks code of others (tools, permissions, approvers). An exception is EXECUTION_FAILED.
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

}  // namespace helve
