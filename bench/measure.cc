#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace helve::bench {

std::vector<Timing> measure(const std::vector<Contender>& contenders, int rounds, int repeat) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> samples(contenders.size());
  for (int round = -1; round < rounds; ++round)  // the first round only warms up
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const auto start = Clock::now();
      for (int r = 0; r < repeat; ++r) contenders[i].run();
      const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
      if (round >= 0) samples[i].push_back(elapsed.count() / repeat);
    }
  std::vector<Timing> timings;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::ranges::sort(samples[i]);
    timings.push_back({contenders[i].name, samples[i][samples[i].size() / 2], samples[i].front()});
  }
  return timings;
}

OnOneProcessor::OnOneProcessor() {
  ::sched_getaffinity(0, sizeof before_, &before_);
  cpu_set_t here{};
  CPU_SET(::sched_getcpu(), &here);
  ::sched_setaffinity(0, sizeof here, &here);
}

OnOneProcessor::~OnOneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }

void print_title(const std::string& title) { std::printf("\n### %s\n\n", title.c_str()); }

void print_heading(const std::string& title) {
  print_title(title);
  std::printf("| what | who | median | best | median, as a multiple of the first |\n|---|---|---|---|---|\n");
}

void print_rows(const std::string& what, const std::vector<Timing>& timings) {
  const auto shown = [](double us) {
    char text[32];
    if (us >= 1000)
      std::snprintf(text, sizeof text, "%.2f ms", us / 1000);
    else
      std::snprintf(text, sizeof text, "%.2f µs", us);
    return std::string(text);
  };
  for (const Timing& timing : timings)
    std::printf("| %s | %s | %s | %s | %.2f |\n", what.c_str(), timing.name.c_str(),
                shown(timing.median_us).c_str(), shown(timing.best_us).c_str(),
                timing.median_us / timings.front().median_us);
  std::fflush(stdout);
}

bool run_program(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const bool started = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return started && ::waitpid(pid, &status, 0) == pid && status == 0;
}

}  // namespace helve::bench
