// The process in which a sweep runs a plugin, from both sides. Inputs and results lie in memory
// that both share; commands go over pipes, in lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "tools/run/process.h"
#include "tools/sweep/sweep_judge.h"

namespace cts {

// Room for the operands and the result of one block, as the parent sees it. The host maps the parts
// between pages that nobody may touch (plugin_buffer.h), operands so that they cannot be written.
class SweepMemory {
 public:
  // Buffers 0 and 1 are the operands; 2 and 3 hold the result, in turns. A plugin that writes a
  // result late does not damage the next one, and is detected.
  static constexpr int kResults = 2, kParts = 4;
  static size_t Offset(int part);

  static StatusOr<SweepMemory> Create();
  SweepMemory(SweepMemory&& other) noexcept;
  SweepMemory& operator=(SweepMemory&&) = delete;
  ~SweepMemory();

  int fd() const { return fd_; }
  // The place of so many bytes in a part.
  uint8_t* data(int part, size_t bytes) const;

 private:
  SweepMemory() = default;

  int fd_ = -1;
  uint8_t* bytes_ = nullptr;
};

// The child: loads the plugin and carries out the commands on standard input, until it ends. `fd`
// is the memory.
Status ServeSweep(const std::filesystem::path& library, const SweepQuestion& question, int fd);

// The words of a line of the child: a first word that says what it is, and texts.
std::vector<std::string> SplitHostLine(const std::string& line);

// The parent's side. Starts the process when there is work, and again after it ended.
class SweepHost {
 public:
  struct Options {
    std::filesystem::path executable;  // tensor-cts
    std::filesystem::path library;
    SweepQuestion question;
    std::filesystem::path edition_file;  // of an edition that is not embedded
    double timeout_seconds = 10;         // of one block
  };
  static StatusOr<std::unique_ptr<SweepHost>> Create(Options options, int wake_fd);

  enum class Event {
    kAnswered,
    kRefused,  // the plugin did not execute
    kCrash,
    kTimeout,
    kUnusable,    // the plugin cannot be loaded
    kNotOffered,  // it says that it does not offer the operator
    kFails,       // it fails to prepare the operator, which is legal
    kInterrupted,
  };
  struct Answer {
    Event event = Event::kAnswered;
    std::string message;
  };
  // Loads the plugin.
  Answer Start();
  // The memory of so many bytes in which the plugin finds operand k: to be written before Run.
  uint8_t* operand(int k, size_t bytes) const { return memory_.data(k, bytes); }
  // Asks for the results of `count` inputs, of the type of the operator's.
  Answer Run(int64_t count, DType type);
  // The results of the last call, as they were when it was answered. A plugin that writes one later
  // is found by the next call: none should stand there.
  SweepResults results() const { return {taken_.data(), count_, width_}; }

  // The plugin's name, once it has been loaded.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& about() const { return about_; }

 private:
  SweepHost(Options options, SweepMemory memory, int wake_fd)
      : options_(std::move(options)), memory_(std::move(memory)), wake_fd_(wake_fd) {}
  // The next line, or what happened instead.
  Answer Next(double seconds, std::string* line);
  // Copies the results of the last question, and leaves none there.
  void TakeResults();
  // The place of a question's results.
  uint8_t* ResultsOf(uint64_t question, size_t bytes) const;
  // "EXP of glibc libm: its process exited with code 0: the plugin called exit in execute"
  std::string Fault(const std::string& what) const;

  Options options_;
  SweepMemory memory_;
  int wake_fd_;
  std::unique_ptr<Process> process_;
  uint64_t questions_ = 0;
  int64_t count_ = 0, width_ = 0;  // of the last question's results
  std::vector<uint8_t> taken_;     // those results
  // So many bytes are known to hold no results, of the questions with even and odd numbers.
  size_t unwritten_[SweepMemory::kResults] = {};
  std::string name_, version_, about_;
};

}  // namespace cts
