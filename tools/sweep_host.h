// The process that a sweep runs a plugin in, from both sides. Inputs and results lie in memory that
// both share; what to do goes over pipes, in lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "tools/process.h"
#include "tools/sweep_judge.h"

namespace cts {

// Room for the operands and the result of one block.
class SweepMemory {
 public:
  static StatusOr<SweepMemory> Create();
  static StatusOr<SweepMemory> Open(int fd);
  SweepMemory(SweepMemory&& other) noexcept;
  SweepMemory& operator=(SweepMemory&&) = delete;
  ~SweepMemory();

  int fd() const { return fd_; }
  // 0, 1: an operand; 2: the result. Aligned to 64 bytes.
  uint8_t* part(int k) const { return bytes_ + k * kPartBytes; }

 private:
  static constexpr int64_t kPartBytes = kSweepBlock * 8 + 4096;  // room behind it is watched
  static StatusOr<SweepMemory> Map(int fd);
  SweepMemory() = default;

  int fd_ = -1;
  uint8_t* bytes_ = nullptr;
};

// The child: loads the plugin and does what standard input says, until it ends.
Status ServeSweep(const std::filesystem::path& library, const SweepQuestion& question, int fd);

// The parent's side. Starts the process when there is work, again after it came to an end.
class SweepHost {
 public:
  struct Options {
    std::filesystem::path executable;  // tensor-cts
    std::filesystem::path library;
    SweepQuestion question;
    double timeout_seconds = 10;  // of one block
  };
  static StatusOr<std::unique_ptr<SweepHost>> Create(Options options, int wake_fd);

  enum class Event {
    kAnswered,
    kRefused,  // the plugin did not execute
    kCrash,
    kTimeout,
    kUnusable,  // the plugin cannot be loaded, or has not got the operator
    kInterrupted,
  };
  struct Answer {
    Event event = Event::kAnswered;
    std::string message;
  };
  // Loads the plugin.
  Answer Start();
  // `result` has the type and shape of the operator's.
  Answer Run(const std::vector<Tensor>& operands, Tensor* result);

  // Of the plugin, once it has been loaded.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& about() const { return about_; }

 private:
  SweepHost(Options options, SweepMemory memory, int wake_fd)
      : options_(std::move(options)), memory_(std::move(memory)), wake_fd_(wake_fd) {}
  // The next line, or what happened instead.
  Answer Next(double seconds, std::string* line);

  Options options_;
  SweepMemory memory_;
  int wake_fd_;
  std::unique_ptr<Process> process_;
  int64_t questions_ = 0;
  std::string name_, version_, about_;
};

}  // namespace cts
