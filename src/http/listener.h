// The socket on which a server listens: IPv4, IPv6 or unix.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/file_io.h"
#include "helve/error.h"
#include "http/server.h"

namespace helve::http {

// Owned by the server. Removes the socket file at the end if it is still its own.
class Listener {
 public:
  [[nodiscard]] static Expected<Listener> open(const ServerOptions& options);
  Listener(Listener&&) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  [[nodiscard]] int socket() const { return socket_.get(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bool is_local() const { return !path_.empty(); }

 private:
  Listener() = default;
  [[nodiscard]] static Expected<Listener> open_address(const std::string& address, std::uint16_t port);
  [[nodiscard]] static Expected<Listener> open_path(const std::string& path);

  UniqueFd socket_ = {};
  std::uint16_t port_ = 0;
  std::string path_ = {};
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace helve::http
