// Measures commands run through Helve, with and without a sandbox, beside starting them bare.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "helve/runtime.h"
#include "measure.h"

namespace helve::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::unique_ptr<Runtime> make_runtime(const std::string& directory, const std::string& name,
                                      SandboxLevel level) {
  const std::string workspace = directory + "/" + name;
  std::filesystem::create_directories(workspace);
  Settings settings;
  settings.mode = Mode::kFull;
  settings.audit.enabled = false;
  settings.sandbox.level = level;
  settings.exec.shell = "sh";
  return Runtime::create({.workspace = workspace,
                          .settings = settings,
                          .state_directory = directory + "/state-" + name,
                          .launcher = "/proc/self/exe"})
      .value();
}

void bench_true(Runtime& sandboxed, Runtime& open) {
  const auto exec_true = [](Runtime& runtime) {
    return [&runtime] { (void)runtime.call({.tool = "exec", .arguments = JsonObject{{"command", "true"}}}); };
  };
  print_heading("A command that does nothing: sh -c true");
  std::vector<Contender> contenders{{"posix_spawn", [] { run_program({"/bin/sh", "-c", "true"}); }},
                                    {"exec, sandbox off", exec_true(open)},
                                    {"exec in the sandbox", exec_true(sandboxed)}};
  if (::access("/usr/bin/bwrap", X_OK) == 0)
    contenders.push_back({"bubblewrap", [] {
                            run_program({"/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc",
                                         "/proc", "--tmpfs", "/tmp", "--unshare-all", "--die-with-parent",
                                         "/bin/sh", "-c", "true"});
                          }});
  print_rows("run", measure(contenders, 200));
}

void bench_output(Runtime& sandboxed, const std::string& directory) {
  const std::string flood = "head -c 1073741824 /dev/zero | tr '\\0' 'x' | fold -w 79";
  print_heading("1 GiB of output in lines");
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  print_rows(
      "run",
      measure(
          {{"into a file", [&] { run_program({"/bin/sh", "-c", flood + " > " + directory + "/flood"}); }},
           {"through a pipe into a file",
            [&] { run_program({"/bin/sh", "-c", flood + " | cat > " + directory + "/flood"}); }},
           {"exec in the sandbox",
            [&] { (void)sandboxed.call({.tool = "exec", .arguments = JsonObject{{"command", flood}}}); }}},
          3));
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  std::printf("\nMost memory of Helve while it took 3 GiB: %ld MiB, %ld MiB more than before.\n\n",
              after.ru_maxrss / 1024, (after.ru_maxrss - before.ru_maxrss) / 1024);
}

void bench_sessions(Runtime& sandboxed) {
  constexpr int kCommands = 200;
  print_title("200 background commands at once");
  const auto start = Clock::now();
  int started = 0;
  for (int i = 0; i < kCommands; ++i)
    started +=
        sandboxed
                .call({.tool = "exec",
                       .arguments = JsonObject{{"command", "echo up; sleep 600"}, {"background", true}}})
                .ok()
            ? 1
            : 0;
  std::printf("- started: %d in %.2f s\n", started, seconds_since(start));
  const auto listing = Clock::now();
  const Answer list = sandboxed.call({.tool = "process", .arguments = JsonObject{{"action", "list"}}});
  std::printf("- listed with CPU, memory and ports: %s in %.0f ms\n",
              list.ok() ? list.result->summary.c_str() : "failed", seconds_since(listing) * 1000);
}

}  // namespace

void bench_commands() {
  std::string directory = (std::filesystem::temp_directory_path() / "helve-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return;
  auto sandboxed = make_runtime(directory, "sandboxed", SandboxLevel::kWorkspaceWrite);
  auto open = make_runtime(directory, "open", SandboxLevel::kOff);
  bench_true(*sandboxed, *open);
  bench_output(*sandboxed, directory);
  bench_sessions(*sandboxed);
  const auto end = Clock::now();
  sandboxed.reset();
  std::printf("- all ended with the runtime in %.2f s\n\n", seconds_since(end));
  std::filesystem::remove_all(directory);
}

}  // namespace helve::bench
