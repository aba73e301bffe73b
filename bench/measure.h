// Measures two or more ways of doing the same thing alternately, so that a noisy machine hits them alike.
#pragma once

#include <sched.h>

#include <functional>
#include <string>
#include <vector>

namespace helve::bench {

struct Contender {
  std::string name;
  std::function<void()> run;
};

struct Timing {
  std::string name;
  double median_us = 0;
  double best_us = 0;
};

// Each contender runs `rounds` times, one after the other in every round; `repeat` runs count as one
// measurement.
[[nodiscard]] std::vector<Timing> measure(const std::vector<Contender>& contenders, int rounds,
                                          int repeat = 1);

// One row of the table per contender, with its ratio to the first: how many times as long it takes.
void print_rows(const std::string& what, const std::vector<Timing>& timings);
void print_heading(const std::string& title);
// A heading without the head of that table.
void print_title(const std::string& title);

// Runs a program to its end with its output thrown away; false when it cannot be run or fails.
bool run_program(const std::vector<std::string>& words);

// As long as it lives, this thread and what it starts run on one processor.
class OnOneProcessor {
 public:
  OnOneProcessor();
  ~OnOneProcessor();
  OnOneProcessor(const OnOneProcessor&) = delete;
  OnOneProcessor& operator=(const OnOneProcessor&) = delete;

 private:
  cpu_set_t before_{};
};

// Each is defined in the file of its name.
void bench_startup(const std::string& helve);
void bench_calls();
void bench_files();
void bench_commands();
void bench_code(const std::string& tree);
void bench_model();
void bench_agent();
void bench_mcp(const std::string& helve, const std::string& repository);
void bench_search(const std::string& big_tree, const std::string& small_tree,
                  const std::string& newest_ripgrep);

}  // namespace helve::bench
