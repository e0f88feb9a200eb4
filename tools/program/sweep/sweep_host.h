// Both sides of the process in which a sweep runs a plugin: the parent, and the child, which is the
// host of the plugin. The host writes the operands, and after each call copies the results from
// buffers that only the host maps. The copied results and the host's progress are in memory that
// both sides share. The plugin has no pointer to the shared memory, and inaccessible pages surround
// this memory. But the shared memory is mapped in the process of the plugin, so a stray write could
// change results before they are judged. Parent and child exchange commands and answers as lines
// over pipes.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "tools/program/run/process.h"
#include "tools/program/sweep/sweep_judge.h"
#include "tools/program/sweep/sweep_report.h"

namespace cts {

// The memory that both sides map.
class SweepMemory {
 public:
  // The greatest number of questions in one request. The memory has a place for the results of each
  // question.
  static constexpr int kPlaces = 8;
  // The parts of the memory, each between inaccessible pages in the host (plugin_buffer.h): the
  // results, one part for each place; the operands, one part for each operand; and the host's
  // progress. Only the host uses the parts of the operands, and it maps each of them twice.
  static constexpr int kOperands = kPlaces, kProgress = kOperands + 2, kParts = kProgress + 1;
  static size_t Offset(int part);

  static StatusOr<SweepMemory> Create();
  SweepMemory(SweepMemory&& other) noexcept;
  SweepMemory& operator=(SweepMemory&&) = delete;
  ~SweepMemory();

  int fd() const { return fd_; }
  // The address of data of `bytes` bytes in a part.
  uint8_t* data(int part, size_t bytes) const;

  // The host's progress: the number of the last answered question, whether the graph of the request
  // is prepared, and the time of the last change.
  struct Progress {
    std::atomic<int64_t> nanoseconds;  // of Clock
    std::atomic<uint64_t> question, prepared;
    static_assert(std::atomic<uint64_t>::is_always_lock_free);

    void StoreAnswered(uint64_t number);
    void StorePrepared();
  };
  Progress& progress() const;

 private:
  SweepMemory() = default;

  int fd_ = -1;
  uint8_t* bytes_ = nullptr;
};

// The child's side: loads the plugin and executes the commands from standard input until its end.
// `fd` is the file of the shared memory.
Status ServeSweep(const std::filesystem::path& library, const SweepQuestion& question, int fd);
// Does the same for an adapter in place of a plugin. `command` starts a worker (protocol.h). For
// each call the child writes the files of a case, and reads the worker's files of results.
Status ServeSweepOfWorker(const std::string& command, const SweepQuestion& question, int fd);

// Splits a line of the child into its parts: the kind of the line, then texts.
std::vector<std::string> SplitHostLine(const std::string& line);

// The parent's side. Starts the child process when there is work, and restarts it after it has
// ended.
class SweepHost {
 public:
  struct Options {
    std::filesystem::path executable;  // tensor-cts
    std::filesystem::path library;     // the plugin
    std::string worker;                // instead of a plugin: the command of a worker
    SweepQuestion question;
    DType type = DType::kFp32;           // the type of the results
    std::filesystem::path edition_file;  // the file of an edition that is not embedded
    double timeout_seconds = 10;         // the time limit of one block
  };
  static StatusOr<std::unique_ptr<SweepHost>> Create(Options options, int wake_fd);

  enum class Event {
    kAnswered,
    kRefused,  // execute returned an error, or wrote too few or too many bytes
    kCrash,
    kTimeout,
    kUnusable,    // the plugin cannot be loaded
    kNotOffered,  // the plugin says that it does not offer the operator
    kFails,       // the plugin fails to prepare the operator, which is legal
    kUnclear,     // the output has a line that the host did not write, and the request had several
                  // questions
    kInterrupted,
  };
  struct Answer {
    Event event = Event::kAnswered;
    std::string message;
  };
  // Starts the process, which loads the plugin.
  Answer Start();
  // Runs the plugin on the inputs of 1 to kPlaces questions, one call for each question. All
  // questions must have the same number of inputs, at most a block. Stops at the first question
  // without an answer, and returns its event.
  Answer Run(std::span<const SweepRange> questions);
  // The number of questions of the last Run that were answered.
  size_t answered() const { return answered_; }
  // The results of an answered question, valid until the next Run. A write to the output after the
  // plugin's call has returned is detected only after the next call, or at the beginning of the
  // next Run.
  SweepResults results(size_t question) const;

  // The plugin's name, once it has been loaded.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& about() const { return about_; }

 private:
  SweepHost(Options options, SweepMemory memory, int wake_fd)
      : options_(std::move(options)), memory_(std::move(memory)), wake_fd_(wake_fd) {}
  // Reads the next line; if no line came, returns the event that occurred instead.
  Answer Next(double seconds, std::string* line);
  // Reads the line that answers a request; if no line came, returns the event that occurred
  // instead. Preparing the graph has the time limit of a start. After the graph is prepared, each
  // question has its own time limit, which begins with the previous answer.
  Answer Await(std::string* line);
  // Returns the answer, with its message, for an event that is not a line.
  Answer Instead(Process::Event event, double seconds);
  // The plugin's path, or the worker's command.
  std::string Place() const {
    return options_.worker.empty() ? options_.library.string() : options_.worker;
  }
  // "EXP of glibc libm: its process exited with code 0: the plugin called exit in execute"
  std::string Fault(const std::string& what) const;

  Options options_;
  SweepMemory memory_;
  int wake_fd_;
  std::unique_ptr<Process> process_;
  // The number of the last question. Numbers begin at a random number, so that the plugin cannot
  // forge an answer.
  uint64_t asked_ = std::random_device()();
  int64_t count_ = 0;  // the number of inputs of each question of the last Run
  size_t answered_ = 0;
  uint64_t progress_ = 0;  // the number of the last answered question when Await returned
  std::string name_, version_, about_;
};

}  // namespace cts
