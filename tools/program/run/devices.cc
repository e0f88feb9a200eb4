#include "tools/program/run/devices.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <utility>

#include "reference/base/digest.h"
#include "reference/base/json.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxBytes = 16 << 20;

// The two latest of the cases that have an answer: one may be the case in question.
void Remember(const SuiteEntry* entry, std::vector<const SuiteEntry*>* known) {
  if (std::find(known->begin(), known->end(), entry) != known->end()) return;
  if (known->size() == 2) known->erase(known->begin());
  known->push_back(entry);
}

}  // namespace

StatusOr<std::vector<Device>> ReadDevices(const fs::path& file) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, "devices", kMaxBytes));
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) return Unavailable("the folder for temporary files: ", error.message());
  std::vector<Device> devices;
  std::map<std::string, size_t> names, adapters, locks;
  for (const Json& one : json["devices"]) {
    Device device{one["name"].get<std::string>(), one["adapter"].get<std::string>(),
                  one.value("lock", "")};
    if (device.lock.empty()) {
      device.lock =
          temporary / StrCat("tensor-cts-device-", Sha256(device.adapter).substr(0, 16), ".lock");
    }
    device.lock = fs::absolute(device.lock, error).lexically_normal();
    const size_t at = devices.size();
    const std::string place = StrCat(file.string(), ": /devices/", at, "/");
    if (const auto [same, added] = names.emplace(device.name, at); !added) {
      return InvalidArgument(place, "name: found \"", device.name, "\", as /devices/", same->second,
                             " has it, expected another name for each device");
    }
    if (const auto [same, added] = adapters.emplace(device.adapter, at); !added) {
      return InvalidArgument(place, "adapter: found the command of /devices/", same->second,
                             ", expected another one for each device: one command reaches one ",
                             "device");
    }
    if (const auto [same, added] = locks.emplace(device.lock.string(), at); !added) {
      return InvalidArgument(place, "lock: found ", device.lock.string(), ", the lock of /devices/",
                             same->second, ", expected another file for each device");
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

// A device that answers no other case either is lost, and its case goes to another device. A case
// that gets no answer on a second device is to blame, whatever became of the devices: it may end
// one after the other. A case is also to blame if the device answers others, and no other device
// is left. A timeout needs no second device: it counts at once with one machine, too.
bool IsFaultOfCase(const NoAnswer& what) {
  if (what.before > 0) return true;
  return what.device_answers && (what.timeout || !what.others);
}

DevicePool::DevicePool(const std::vector<Device>& devices)
    : devices_(devices), states_(devices.size()) {}

size_t DevicePool::IndexOf(const Device& device) const {
  return static_cast<size_t>(&device - devices_.data());
}

std::vector<const Device*> DevicePool::Living() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<const Device*> living;
  for (const Device& device : devices_) {
    if (!states_[IndexOf(device)].is_lost) living.push_back(&device);
  }
  return living;
}

bool DevicePool::IsLost(const Device& device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return states_[IndexOf(device)].is_lost;
}

std::string DevicePool::LostText() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  for (const Device& device : devices_) {
    const State& state = states_[IndexOf(device)];
    if (!state.is_lost) continue;
    text += StrCat(text.empty() ? "" : "; ", device.name, ": ", state.lost);
  }
  return text;
}

Status DevicePool::Lock(const Device& device) {
  return states_[IndexOf(device)].lock.Lock(device.lock);
}

bool DevicePool::Lose(const Device& device, const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  State& state = states_[IndexOf(device)];
  if (std::exchange(state.is_lost, true)) return false;
  state.lost = why;
  changed_.notify_all();
  return true;
}

void DevicePool::Printed(const Device& device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  states_[IndexOf(device)].printed = true;
}

bool DevicePool::HasPrinted(const Device& device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return states_[IndexOf(device)].printed;
}

void DevicePool::Answered(const Device* device, const SuiteEntry* entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Remember(entry, device == nullptr ? &known_ : &states_[IndexOf(*device)].known);
}

const SuiteEntry* DevicePool::Known(const Device& device, const SuiteEntry* except) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<const std::vector<const SuiteEntry*>*> places = {&states_[IndexOf(device)].known};
  for (const State& state : states_) places.push_back(&state.known);
  places.push_back(&known_);
  for (const auto* place : places) {
    const auto found = std::find_if(place->rbegin(), place->rend(),
                                    [&](const SuiteEntry* entry) { return entry != except; });
    if (found != place->rend()) return *found;
  }
  return nullptr;
}

void DevicePool::GiveBack(HandedBack handed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  handed_back_.push_back(std::move(handed));
  changed_.notify_all();
}

std::deque<DevicePool::HandedBack>::const_iterator DevicePool::FindFor(const Device& device) const {
  const bool alone = CountLiving() == 1;
  return std::find_if(handed_back_.begin(), handed_back_.end(),
                      [&](const HandedBack& handed) { return alone || handed.from != &device; });
}

size_t DevicePool::CountLiving() const {
  return static_cast<size_t>(std::count_if(states_.begin(), states_.end(),
                                           [](const State& state) { return !state.is_lost; }));
}

bool DevicePool::HasFor(const Device& device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return FindFor(device) != handed_back_.end();
}

std::optional<DevicePool::HandedBack> DevicePool::TakeFor(const Device& device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = FindFor(device);
  if (found == handed_back_.end()) return std::nullopt;
  HandedBack handed = *found;
  handed_back_.erase(found);
  return handed;
}

bool DevicePool::AnyHandedBack() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !handed_back_.empty();
}

void DevicePool::BeginPass() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (State& state : states_) state.idle = false;
}

bool DevicePool::WaitFor(const Device& device, const std::function<bool()>& stopping) {
  std::unique_lock<std::mutex> lock(mutex_);
  State& own = states_[IndexOf(device)];
  own.idle = true;
  changed_.notify_all();
  while (!own.is_lost && !stopping()) {
    if (FindFor(device) != handed_back_.end()) {
      own.idle = false;
      return true;
    }
    const bool all_idle = std::all_of(states_.begin(), states_.end(), [](const State& state) {
      return state.is_lost || state.idle;
    });
    if (all_idle && handed_back_.empty()) return false;
    // A signal of the user does not notify.
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
  return false;
}

}  // namespace cts
