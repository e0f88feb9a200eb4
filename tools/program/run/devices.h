// The devices of `run --devices`: boards of one kind that share the cases of a suite.
//
// A case without an answer counts only if its device is shown to answer afterwards: it answers a
// known case, which a device has answered before in this run. Everything else, such as a lost
// connection, is no fault of a case: the case goes back to the queue.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "checker/judge/case_status.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/case_result.h"
#include "tools/program/run/directory_lock.h"
#include "tools/program/run/launcher.h"
#include "tools/program/run/run_options.h"

namespace cts {

// The argument of --devices.
struct DevicesFile {
  std::vector<Device> devices;
  std::vector<double> pauses;
};

// Reads the argument of --devices (schemas/devices.schema.json). Refuses two devices with the same
// name, command, lock or log.
StatusOr<DevicesFile> ReadDevices(const std::filesystem::path& file);

// A case that waits for a device, and what came of it before.
struct DeviceJob {
  const SuiteEntry* entry = nullptr;
  const Device* from = nullptr;  // the device that gave it back last
  // How often it got no answer, alone, from a device that was shown to answer afterwards.
  int failures = 0;
  // The same, but the adapter ended as it ends without a connection: this is no fault of a case,
  // however often it happens.
  int unreached = 0;
  // How often a device that had been shown to answer before stopped answering with this case.
  int taken = 0;
  std::string fault = {};  // what the first of the failures was
  bool Fresh() const { return failures + unreached + taken == 0; }
};

// A case that a device has answered.
struct KnownCase {
  const SuiteEntry* entry = nullptr;
  CaseStatus status = CaseStatus::kOk;
  std::string digest;              // of the answer; empty if an earlier part of the run had it
  const Device* device = nullptr;  // that answered; null for an earlier part of the run
};

// What all devices share. Any thread may call its functions.
class DeviceQueue {
 public:
  enum class State {
    kAnswers,
    kUnknown,  // it is not known to answer
    kDead,
  };

  // Both must outlive the queue. `stopping` is called often.
  DeviceQueue(const std::vector<Device>& devices, std::function<bool()> stopping);

  size_t IndexOf(const Device& device) const;
  State StateOf(const Device& device) const;
  // `why`: for kUnknown and kDead. `reported`: the device's adapter lives, and reported a crash
  // itself.
  void SetState(const Device& device, State state, const std::string& why = "",
                bool reported = false);
  std::string WhyOf(const Device& device) const;
  size_t CountLiving() const;
  // The names and reasons of all devices that are not known to answer: "a: REASON; b: REASON".
  std::string Troubles() const;

  void BeginPass(const std::vector<const SuiteEntry*>& entries);
  // Cases for this device, at most `most`, and no more than its share. A case that was given back
  // comes alone. Empty if there is none for it now.
  std::vector<DeviceJob> Take(const Device& device, size_t most);
  // A case from another part of the suite, for a device of which it is not known whether it
  // answers.
  std::vector<DeviceJob> TakeProbe();
  void GiveBack(DeviceJob job, const Device& from);
  void Done();
  // The case gets no result in this run.
  void SetAside(const DeviceJob& job, const std::string& why);
  std::vector<std::string> AllSetAside() const;
  size_t CountLeft() const;

  // Waits until there may be a case for this device. False at the end of the pass.
  bool WaitForCase(const Device& device);
  // Waits until there is a known case, or a decision without one. False at the end of the pass.
  bool WaitForKnown(const Device& device);
  // False at the end of the pass.
  bool Sleep(double seconds);
  // Whether no known case ever came, and devices wait for one.
  bool IsStuck() const;

  // Whether answers of this status by this device should still be remembered.
  bool Wants(const Device* device, CaseStatus status) const;
  void Remember(KnownCase known);
  // A known case other than `except`, if possible one that another device answered; nullopt if
  // there is none. A case that has output values comes first. One without may not have needed the
  // device: it counts only when nothing else is left.
  std::optional<KnownCase> Known(const Device& device, const SuiteEntry* except) const;
  // A device answered a known case again. An error if the answer is another one than before.
  Status Compare(const KnownCase& known, const Device& device, CaseStatus status,
                 const std::string& digest);
  // Whether no case has an answer, and reported crashes count without a known case.
  bool ReportsCount() const;

 private:
  struct Each {
    State state = State::kUnknown;
    std::string why;
    bool reported = false;
    bool parked = false;
  };
  enum class Need { kValues, kAnyAnswer, kReport };

  const KnownCase* FindKnown(const Device& device, const SuiteEntry* except) const;
  bool HasCaseFor(const Device& device) const;
  bool Ended() const;
  // When all devices wait for a known case: lowers what they need.
  void Decide();
  void WaitABit(std::unique_lock<std::mutex>& lock);

  const std::vector<Device>& devices_;
  const std::function<bool()> stopping_;
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::vector<Each> each_;
  std::deque<DeviceJob> jobs_;
  size_t in_flight_ = 0;
  size_t probes_ = 0;
  std::vector<std::string> aside_;
  std::vector<KnownCase> known_;
  Need need_ = Need::kValues;
  bool stuck_ = false;
};

// Gives the cases to the devices, each of which has a thread.
class DevicePool {
 public:
  struct Hooks {
    std::function<StatusOr<CaseTask>(const SuiteEntry& entry, const Device& device)> prepare;
    // Stores a result for good.
    std::function<Status(const CaseTask& task, CaseResult result)> commit;
    std::function<Status()> restarted;  // a worker was ended because of a fault
    std::function<Status(const std::string& first)> unexplained;  // no case repeats a fault
    std::function<Status(const Device& device, const std::string& why)> lost;
    std::function<void(const std::string& line)> tell;
    // Ends the run; the error is that of the first call.
    std::function<void(const Status& status)> stop;
    std::function<bool()> stopping;
  };

  DevicePool(const RunOptions& options, Launcher& launcher, Hooks hooks);
  ~DevicePool();

  size_t IndexOf(const Device& device) const { return queue_.IndexOf(device); }
  // Locks the devices for as long as the pool lives. A device that another run has locked is lost.
  Status LockAll();
  // An answer of an earlier part of the run.
  void Kept(const SuiteEntry& entry, CaseStatus status);
  // Runs the cases. Errors of several devices come as one.
  Status RunPass(const std::vector<const SuiteEntry*>& entries);
  // Whether the pass ended for want of devices.
  bool none_left() const { return none_left_; }
  // Why a device was not known to answer at the end; empty if it was, or if it was lost.
  std::string SilentWhy(const Device& device) const;

 private:
  class Server;

  Status ServeAll();
  Status Conclude() const;

  const RunOptions& options_;
  Launcher& launcher_;
  const Hooks hooks_;
  DeviceQueue queue_;
  std::deque<FileLock> locks_;
  std::vector<std::unique_ptr<Server>> servers_;
  bool none_left_ = false;
};

}  // namespace cts
