// The process in which a sweep runs a plugin, from both sides. The host writes the operands, and
// takes the results at once from buffers that only it maps. The results and the host's progress lie
// in memory that both sides share. The plugin has no pointer to it, and forbidden pages surround
// it, but it is within the plugin's process until it is judged. Commands go over pipes, in lines.
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

// The memory that both sides map, as the parent sees it.
class SweepMemory {
 public:
  // The number of questions that are asked at once, each with a place for its answers.
  static constexpr int kPlaces = 8;
  // Parts of the memory, each between forbidden pages in the host (plugin_buffer.h): the answers;
  // the operands, which only the host uses, and maps twice; its progress.
  static constexpr int kOperands = kPlaces, kProgress = kOperands + 2, kParts = kProgress + 1;
  static size_t Offset(int part);

  static StatusOr<SweepMemory> Create();
  SweepMemory(SweepMemory&& other) noexcept;
  SweepMemory& operator=(SweepMemory&&) = delete;
  ~SweepMemory();

  int fd() const { return fd_; }
  // The place of `bytes` bytes in a part.
  uint8_t* data(int part, size_t bytes) const;

  // The host's progress: the number of the last answered question, whether the graph of the request
  // is prepared, and the time of that.
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

// The child: loads the plugin and carries out the commands on standard input, until it ends. `fd`
// is the memory.
Status ServeSweep(const std::filesystem::path& library, const SweepQuestion& question, int fd);

// The words of a line of the child: a first word with its kind, and texts.
std::vector<std::string> SplitHostLine(const std::string& line);

// The parent's side. Starts the process when there is work, and restarts it after it ended.
class SweepHost {
 public:
  struct Options {
    std::filesystem::path executable;  // tensor-cts
    std::filesystem::path library;
    SweepQuestion question;
    DType type = DType::kFp32;           // of the results
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
    kUnclear,     // a line is not the host's, and several questions were asked
    kInterrupted,
  };
  struct Answer {
    Event event = Event::kAnswered;
    std::string message;
  };
  // Loads the plugin.
  Answer Start();
  // Asks for the results of these inputs, one question after the other, each a call of the plugin:
  // 1 to kPlaces questions, all with the same number of inputs, a block at most. Stops at the first
  // question without an answer, and returns what happened there.
  Answer Run(std::span<const SweepRange> questions);
  // The number of questions of the last Run that were answered,
  size_t answered() const { return answered_; }
  // and these are the results of one, until the next Run. A plugin that writes to one after its
  // call has returned is found after the next call, or before the next Run; no other place looks
  // for it.
  SweepResults results(size_t question) const;

  // The plugin's name, once it has been loaded.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& about() const { return about_; }

 private:
  SweepHost(Options options, SweepMemory memory, int wake_fd)
      : options_(std::move(options)), memory_(std::move(memory)), wake_fd_(wake_fd) {}
  // The next line, or the event in its place.
  Answer Next(double seconds, std::string* line);
  // The line that answers a request, or the event in its place. Preparing has the time limit of a
  // start; then each question has its own limit, which begins with the answer before it.
  Answer Await(std::string* line);
  // The words for an event that is not a line.
  Answer Instead(Process::Event event, double seconds);
  // "EXP of glibc libm: its process exited with code 0: the plugin called exit in execute"
  std::string Fault(const std::string& what) const;

  Options options_;
  SweepMemory memory_;
  int wake_fd_;
  std::unique_ptr<Process> process_;
  // The number of the last question. It begins at a random number, so that the plugin cannot write
  // a right answer.
  uint64_t asked_ = std::random_device()();
  int64_t count_ = 0;  // of the inputs of each question of the last Run
  size_t answered_ = 0;
  uint64_t progress_ = 0;  // the last question that was answered when Await returned
  std::string name_, version_, about_;
};

}  // namespace cts
