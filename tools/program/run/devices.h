// The devices of `run --devices`: who is left, which cases go back to the others, and who is to
// blame for a case without an answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/directory_lock.h"
#include "tools/program/run/run_options.h"

namespace cts {

// Reads the argument of --devices (schemas/devices.schema.json). Refuses two devices with the same
// name, command or lock.
StatusOr<std::vector<Device>> ReadDevices(const std::filesystem::path& file);

// After a case without an answer, a device gets this number of chances to answer a case that has an
// answer already.
inline constexpr int kChances = 2;

// The facts about a case that ran alone on a device and got no answer.
struct NoAnswer {
  bool device_answers = true;  // it answered another case afterwards; otherwise it is lost
  bool timeout = false;        // no answer in time
  // How often the case had no answer before, alone on another device that answers others or was
  // lost with the case in hand.
  int before = 0;
  bool others = false;  // another device is left
};

// The rule: whether the case is to blame, so that its result counts. Otherwise the case goes to
// another device.
bool IsFaultOfCase(const NoAnswer& what);

// Any thread may call its functions.
class DevicePool {
 public:
  // A case that another device has to run, alone.
  struct HandedBack {
    const SuiteEntry* entry = nullptr;
    const Device* from = nullptr;
    int before = 0;  // as in NoAnswer
    // What the first device did, if it answers other cases; otherwise empty.
    std::string fault = {};
  };

  // `devices` must outlive the pool.
  explicit DevicePool(const std::vector<Device>& devices);

  size_t IndexOf(const Device& device) const;
  std::vector<const Device*> Living() const;
  bool IsLost(const Device& device) const;
  // "board-1: REASON; board-2: REASON".
  std::string LostText() const;
  // Locks a device until the pool is gone.
  Status Lock(const Device& device);
  // Gives a device up, and the cases that it had in hand back to the others. Returns false if it
  // was lost before.
  bool Lose(const Device& device, const std::string& why);

  // Whether the device's worker printed a line, in any of its processes.
  void Printed(const Device& device);
  bool HasPrinted(const Device& device) const;

  // A case was answered by the device, or, if `device` is null, in an earlier part of the run.
  void Answered(const Device* device, const SuiteEntry* entry);
  // Another case than `except` that has an answer, if possible of this device; null if there is
  // none.
  const SuiteEntry* Known(const Device& device, const SuiteEntry* except) const;

  void GiveBack(HandedBack handed);
  // A case that this device did not give back, unless it is the only one left.
  bool HasFor(const Device& device) const;
  std::optional<HandedBack> TakeFor(const Device& device);
  bool AnyHandedBack() const;

  // All living devices are at work from now on.
  void BeginPass();
  // Waits, for a device without a case, until another one gives a case back for it. Returns false
  // when all are without a case, when the device is lost, or when the run is stopping.
  bool WaitFor(const Device& device, const std::function<bool()>& stopping);

 private:
  struct State {
    bool is_lost = false;
    std::string lost;
    bool idle = false;
    bool printed = false;
    FileLock lock;
    std::vector<const SuiteEntry*> known;  // at most two
  };
  std::deque<HandedBack>::const_iterator FindFor(const Device& device) const;
  size_t CountLiving() const;

  const std::vector<Device>& devices_;
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::deque<State> states_;
  std::vector<const SuiteEntry*> known_;  // of earlier parts of the run; at most two
  std::deque<HandedBack> handed_back_;
};

}  // namespace cts
