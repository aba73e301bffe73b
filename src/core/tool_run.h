// Runs one tool: caught, guarded against never coming back, or as one of a batch.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/worker_pool.h"
#include "helve/context.h"
#include "helve/registry.h"
#include "helve/tool.h"

namespace helve {

// A tool that throws gives EXECUTION_FAILED.
[[nodiscard]] Result run_tool(const Tool& tool, Context& context, const Json& arguments);

// Runs on a thread of the pool. A tool that ignores its stop for too long is left behind and answered for.
[[nodiscard]] Result run_guarded(WorkerPool& workers, std::shared_ptr<const RegisteredTool> tool,
                                 Context::Parts context, Json arguments);

// What a call uses, with paths in one form.
[[nodiscard]] std::vector<Resource> resources_of(const Tool& tool, const Json& arguments,
                                                 const std::string& workspace);

// Hands the members of a batch to a few threads as they become ready.
class ReadyList {
 public:
  explicit ReadyList(std::size_t expected) : expected_(expected) {}

  void add(std::size_t index);
  void skip_one();
  // Returns when all expected members were worked off or skipped.
  void work_off(std::size_t threads, const std::function<void(std::size_t index)>& work);

 private:
  bool take(std::size_t& index);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> ready_;
  std::size_t expected_;  // still to be taken
};

}  // namespace helve
