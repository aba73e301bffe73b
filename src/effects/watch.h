// Receives the notifications of a running command and has each change recorded before it happens.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/file_io.h"
#include "effects/recorder.h"
#include "helve/error.h"

namespace helve::effects {

// Serves one command on a thread of its own. The recorder must outlive it and is only used by that thread.
class Watch {
 public:
  // `workspace` is the real path of the workspace.
  [[nodiscard]] static Expected<std::unique_ptr<Watch>> start(std::string workspace, Recorder& recorder);
  // Stops. Calls that still wait then fail in the command.
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // The descriptor from sandbox::watch_changes(). May be called from any thread, once.
  void serve(UniqueFd listener);
  // Waits until no process of the command is left, or returns at once if none was started.
  void finish();

 private:
  Watch(std::string workspace, Recorder& recorder, UniqueFd wake_read, UniqueFd wake_write);
  void run();

  const std::string workspace_;
  Recorder& recorder_;
  // The listener arrives over a pipe, so that the thread waits for it and for the end in one place.
  UniqueFd wake_read_;
  UniqueFd wake_write_;
  std::mutex mutex_;
  UniqueFd handed_over_;
  bool served_ = false;
  std::thread thread_;
};

}  // namespace helve::effects
