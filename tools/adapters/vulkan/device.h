// Finds a Vulkan device that runs TOSA graphs, queries what it supports, and opens it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/status.h"
#include "tools/adapters/vulkan/api.h"

namespace cts {

// The Vulkan library to load, and the device to find.
struct DeviceChoice {
  std::string library = "libvulkan.so.1";
  // A part of the device's name, or the device's position in Vulkan's list, from 0. Empty: the
  // first device that runs TOSA graphs.
  std::string device;
  int queue_family = -1;  // -1: the first family that runs TOSA graphs
  // "default", "foreign" or the number of the engine's kind; empty: the first engine.
  std::string engine;
};

// The part of TOSA that a device says it supports.
struct DeviceOffer {
  struct Named {
    std::string name;
    uint32_t quality;  // ACCELERATED 1, CONFORMANT 2, EXPERIMENTAL 4, DEPRECATED 8
  };
  std::vector<Named> profiles, extensions;
  bool level_8k = false;
  bool specialization_constants = false;  // graphs may have such constants
  bool strides = false;                   // tensors need not be packed
  std::vector<DType> types;               // types whose LINEAR tensors a graph accepts
  std::vector<DType> optimal_types;       // the same for OPTIMAL tensors
  int64_t max_rank = 0, max_dimension = 0, max_elements = 0, max_stride = 0;
  uint64_t max_bytes = 0;
};

// The Vulkan format of a tensor of this type; nullopt for a type that SPIR-V does not have.
std::optional<uint32_t> VulkanFormat(DType dtype);

class Device {
 public:
  // kNotFound if there is no usable library or device. If no device both fits `choice` and runs
  // TOSA graphs, the message names the existing devices.
  static StatusOr<Device> Open(const DeviceChoice& choice);

  const std::string& name() const { return name_; }
  const std::string& driver() const { return driver_; }
  const DeviceOffer& offer() const { return offer_; }

  // The device's function of this name; null if the device lacks it.
  template <class Function>
  Function* Get(const char* name) const {
    return reinterpret_cast<Function*>(get_device_address_(device_, name));
  }

  vk::Pointer handle() const { return device_; }
  vk::Pointer queue() const { return queue_; }
  uint32_t family() const { return family_; }
  bool copies_tensors() const { return (queue_flags_ & vk::kCopyingQueue) != 0; }
  const vk::DataGraphEngine& engine() const { return property_.engine; }
  // The first memory type among `types` (a bit mask) that is host-visible and coherent; nullopt if
  // there is no such type.
  std::optional<uint32_t> HostMemory(uint32_t types) const;
  std::optional<uint32_t> AnyMemory(uint32_t types) const;

 private:
  using Function = void();
  using GetAddress = Function*(vk::Pointer, const char*);

  // The instance's function of this name.
  template <class F>
  F* Instance(const char* name) const {
    return reinterpret_cast<F*>(get_address_(instance_, name));
  }
  Status MakeInstance(const DeviceChoice& choice);
  // Finds the first queue family of `physical` that runs TOSA graphs and fits `choice`. Returns
  // false if there is no such family.
  bool FindQueue(vk::Pointer physical, const DeviceChoice& choice);
  Status Choose(const DeviceChoice& choice);
  Status Create();
  void AskOffer();

  GetAddress *get_address_ = nullptr, *get_device_address_ = nullptr;
  vk::Pointer instance_ = nullptr, physical_ = nullptr, device_ = nullptr, queue_ = nullptr;
  uint32_t family_ = 0, queue_flags_ = 0;
  vk::QueueFamilyDataGraphProperties property_;
  vk::MemoryProperties memory_;
  std::string name_, driver_;
  DeviceOffer offer_;
};

// "VK_ERROR_DEVICE_LOST (-4)".
std::string ResultText(vk::Result result);

}  // namespace cts
