// Helpers for tests that start real commands: a directory, a Jobs in it, and a search for leftover processes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "process/command_environment.h"
#include "process/jobs.h"
#include "process/process_info.h"
#include "process/shell_choice.h"

namespace helve::process {

inline std::string read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A unique environment variable that identifies all processes of a test's commands.
inline std::string make_marker() { return concat("HELVE_TEST_MARK=", random_id("mark")); }

// Living processes with the marker in their environment.
inline std::vector<std::string> marked_processes(const std::string& marker) {
  std::vector<std::string> found;
  for (const ProcStat& process : read_all_processes()) {
    if (process.state == 'Z') continue;
    if (read_proc_file(concat("/proc/", process.pid, "/environ")).find(marker) == std::string::npos) continue;
    found.push_back(concat(process.name, " ", std::string_view(&process.state, 1), " ", process.pid));
  }
  return found;
}

inline void kill_marked(const std::string& marker) {
  for (const ProcStat& process : read_all_processes())
    if (read_proc_file(concat("/proc/", process.pid, "/environ")).find(marker) != std::string::npos)
      ::kill(process.pid, SIGKILL);
}

inline JobRequest shell_request(const TestDirectory& directory, const std::string& command,
                                sandbox::Level level = sandbox::Level::kOff) {
  JobRequest request;
  request.command = command;
  request.launch.argv = shell_arguments({ShellKind::kBash, "/bin/bash"}, command);
  request.launch.environment = make_command_environment(own_environment()).variables;
  request.launch.directory = directory.path();
  request.launch.plan.level = level;
  request.launch.plan.workspace = directory.path();
  return request;
}

inline Clock::time_point in(milliseconds time) { return Clock::now() + time; }
// Long enough for a slow machine.
constexpr auto kTestTimeout = milliseconds(60'000);

// A Jobs in its own directory, with helpers to start commands and read their output.
class JobsTest : public testing::Test {
 protected:
  JobsTest() { open(); }
  void open(Jobs::Options options = {}) {
    jobs_.reset();
    options.output_directory = directory_.path();
    auto created = Jobs::create(std::move(options));
    ASSERT_TRUE(created) << created.error().message;
    jobs_ = std::move(*created);
  }
  [[nodiscard]] std::shared_ptr<Job> start(JobRequest request) {
    auto job = jobs_->start(std::move(request));
    EXPECT_TRUE(job) << job.error().message;
    return job ? *job : nullptr;
  }
  [[nodiscard]] std::shared_ptr<Job> start(const std::string& command) {
    return start(shell_request(directory_, command));
  }
  // Runs a command to its end.
  [[nodiscard]] std::shared_ptr<Job> run(JobRequest request) {
    auto job = start(std::move(request));
    if (job) {
      EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
    }
    return job;
  }
  [[nodiscard]] std::shared_ptr<Job> run(const std::string& command) {
    return run(shell_request(directory_, command));
  }
  [[nodiscard]] static std::string text_of(const Job& job) {
    auto part = job.log().read(0, 1 << 20);
    return part ? part->bytes : part.error().message;
  }
  [[nodiscard]] static std::string text_of(const Job& job, Stream stream) {
    auto part = job.log().read_stream(stream, 0, 1 << 20);
    return part ? part->bytes : part.error().message;
  }

  TestDirectory directory_{0777};  // tests run commands as other users
  std::unique_ptr<Jobs> jobs_;
};

}  // namespace helve::process
