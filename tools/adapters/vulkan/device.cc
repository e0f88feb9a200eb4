#include "tools/adapters/vulkan/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <set>
#include <utility>

#include "reference/formats/spirv/spirv_wire.h"

namespace cts {
namespace {

struct FormatOfType {
  DType dtype;
  uint32_t format;
};
constexpr FormatOfType kFormats[] = {
    {DType::kBool, 1000460000},
    {DType::kI8, 14},
    {DType::kI16, 75},
    {DType::kI32, 99},
    {DType::kI48, 111},
    {DType::kFp16, 76},
    {DType::kBf16, 1000460001},
    {DType::kFp32, 100},
    {DType::kFp8E4M3, 1000460002},
    {DType::kFp8E5M2, 1000460003},
};

// Everything that a list function of Vulkan gives.
template <class T, class Call>
std::vector<T> ListOf(const Call& call) {
  uint32_t count = 0;
  call(&count, nullptr);
  std::vector<T> list(count);
  if (count > 0) call(&count, list.data());
  list.resize(std::min<size_t>(count, list.size()));
  return list;
}

// A text that fills its array has no zero.
template <size_t kSize>
std::string TextOf(const char (&text)[kSize]) {
  return {text, strnlen(text, kSize)};
}

bool IsEngine(const vk::DataGraphEngine& engine, const std::string& wanted) {
  if (wanted.empty()) return true;
  if (wanted == "foreign") return engine.is_foreign != 0;
  return std::to_string(engine.kind) == (wanted == "default" ? "0" : wanted);
}

constexpr const char* kExtensions[] = {"VK_ARM_tensors", "VK_ARM_data_graph",
                                       "VK_ARM_data_graph_instruction_set_tosa",
                                       "VK_KHR_maintenance5", "VK_KHR_deferred_host_operations"};
constexpr size_t kNeededExtensions = 2;

}  // namespace

std::optional<uint32_t> VulkanFormat(DType dtype) {
  for (const FormatOfType& row : kFormats) {
    if (row.dtype == dtype) return row.format;
  }
  return std::nullopt;
}

std::string ResultText(vk::Result result) {
  struct Named {
    vk::Result result;
    const char* name;
  };
  constexpr Named kNames[] = {{1, "VK_NOT_READY"},
                              {2, "VK_TIMEOUT"},
                              {-1, "VK_ERROR_OUT_OF_HOST_MEMORY"},
                              {-2, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
                              {-3, "VK_ERROR_INITIALIZATION_FAILED"},
                              {-4, "VK_ERROR_DEVICE_LOST"},
                              {-5, "VK_ERROR_MEMORY_MAP_FAILED"},
                              {-6, "VK_ERROR_LAYER_NOT_PRESENT"},
                              {-7, "VK_ERROR_EXTENSION_NOT_PRESENT"},
                              {-8, "VK_ERROR_FEATURE_NOT_PRESENT"},
                              {-9, "VK_ERROR_INCOMPATIBLE_DRIVER"},
                              {-11, "VK_ERROR_FORMAT_NOT_SUPPORTED"},
                              {-13, "VK_ERROR_UNKNOWN"}};
  for (const Named& row : kNames) {
    if (row.result == result) return StrCat(row.name, " (", result, ")");
  }
  return StrCat("VkResult ", result);
}

StatusOr<Device> Device::Open(const DeviceChoice& choice) {
  Device device;
  CTS_RETURN_IF_ERROR(device.MakeInstance(choice));
  CTS_RETURN_IF_ERROR(device.Choose(choice));
  CTS_RETURN_IF_ERROR(device.Create());
  device.AskOffer();
  return device;
}

Status Device::MakeInstance(const DeviceChoice& choice) {
  // Stays loaded as long as the process lives.
  void* const library = dlopen(choice.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return NotFound(dlerror(), "; install it: apt-get install libvulkan1");
  }
  get_address_ = reinterpret_cast<GetAddress*>(dlsym(library, "vkGetInstanceProcAddr"));
  if (get_address_ == nullptr) {
    return NotFound(choice.library,
                    ": found no vkGetInstanceProcAddr, expected a loader of Vulkan");
  }
  const vk::ApplicationInfo application = [] {
    vk::ApplicationInfo info;
    info.application = "tensor-cts";
    info.api_version = vk::kApi13;
    return info;
  }();
  vk::InstanceCreateInfo info;
  info.application = &application;
  auto* const create =
      Instance<vk::Result(const vk::InstanceCreateInfo*, const void*, vk::Pointer*)>(
          "vkCreateInstance");
  if (create == nullptr) return NotFound(choice.library, ": found no vkCreateInstance");
  const vk::Result made = create(&info, nullptr, &instance_);
  if (made != vk::kSuccess) return NotFound("vkCreateInstance: ", ResultText(made));
  get_device_address_ = Instance<GetAddress>("vkGetDeviceProcAddr");
  return absl::OkStatus();
}

bool Device::FindQueue(vk::Pointer physical, const DeviceChoice& choice) {
  const int wanted = choice.queue_family;
  auto* const families = Instance<void(vk::Pointer, uint32_t*, vk::QueueFamilyProperties*)>(
      "vkGetPhysicalDeviceQueueFamilyProperties");
  auto* const properties =
      Instance<vk::Result(vk::Pointer, uint32_t, uint32_t*, vk::QueueFamilyDataGraphProperties*)>(
          "vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM");
  if (properties == nullptr) return false;
  const auto list = ListOf<vk::QueueFamilyProperties>(
      [&](uint32_t* count, vk::QueueFamilyProperties* out) { families(physical, count, out); });
  for (uint32_t family = 0; family < list.size(); ++family) {
    if (wanted >= 0 && family != static_cast<uint32_t>(wanted)) continue;
    if ((list[family].flags & vk::kDataGraphQueue) == 0) continue;
    const auto operations = ListOf<vk::QueueFamilyDataGraphProperties>(
        [&](uint32_t* count, vk::QueueFamilyDataGraphProperties* out) {
          properties(physical, family, count, out);
        });
    for (const vk::QueueFamilyDataGraphProperties& operation : operations) {
      if (operation.operation_kind != 0 || TextOf(operation.operation) != spirv::kInstructionSet ||
          !IsEngine(operation.engine, choice.engine)) {
        continue;
      }
      property_ = operation;
      property_.next = nullptr;
      family_ = family;
      queue_flags_ = list[family].flags;
      return true;
    }
  }
  return false;
}

Status Device::Choose(const DeviceChoice& choice) {
  auto* const enumerate =
      Instance<vk::Result(vk::Pointer, uint32_t*, vk::Pointer*)>("vkEnumeratePhysicalDevices");
  auto* const ask =
      Instance<void(vk::Pointer, vk::PhysicalDeviceProperties2*)>("vkGetPhysicalDeviceProperties2");
  const auto devices = ListOf<vk::Pointer>(
      [&](uint32_t* count, vk::Pointer* out) { enumerate(instance_, count, out); });
  std::string names;
  for (size_t i = 0; i < devices.size(); ++i) {
    vk::PhysicalDeviceProperties2 properties;
    ask(devices[i], &properties);
    const std::string name = TextOf(properties.name);
    names += StrCat(names.empty() ? "" : ", ", i, " ", name);
    const bool wanted = choice.device.empty() || choice.device == std::to_string(i) ||
                        name.find(choice.device) != std::string::npos;
    if (!wanted || !FindQueue(devices[i], choice)) continue;
    physical_ = devices[i];
    name_ = name;
    driver_ = StrCat(properties.driver_version >> 22, ".", properties.driver_version >> 12 & 0x3ff,
                     ".", properties.driver_version & 0xfff);
    return absl::OkStatus();
  }
  return NotFound("found no device with a queue for ", spirv::kInstructionSet,
                  choice.engine.empty() ? "" : StrCat(" on the engine ", choice.engine),
                  choice.device.empty() ? "" : StrCat(" and \"", choice.device, "\" in its name"),
                  ", among: ", names.empty() ? "none" : names,
                  "; README.md says how to install Arm's emulation layer");
}

Status Device::Create() {
  auto* const extensions =
      Instance<vk::Result(vk::Pointer, const char*, uint32_t*, vk::ExtensionProperties*)>(
          "vkEnumerateDeviceExtensionProperties");
  std::set<std::string> present;
  for (const auto& extension :
       ListOf<vk::ExtensionProperties>([&](uint32_t*count, vk::ExtensionProperties*out) {
         extensions(physical_, nullptr, count, out);
       })) {
    present.insert(TextOf(extension.name));
  }
  std::vector<const char*> enabled;
  for (size_t i = 0; i < std::size(kExtensions); ++i) {
    if (present.contains(kExtensions[i])) {
      enabled.push_back(kExtensions[i]);
    } else if (i < kNeededExtensions) {
      return NotFound(name_, ": found no ", kExtensions[i]);
    }
  }
  vk::TensorFeatures tensors;
  vk::DataGraphFeatures graphs;
  vk::ShaderFloat16Int8Features narrow;
  vk::VulkanMemoryModelFeatures model;
  vk::Synchronization2Features synchronization;
  vk::Features2 features;
  features.next = &tensors;
  tensors.next = &graphs;
  graphs.next = &narrow;
  narrow.next = &model;
  model.next = &synchronization;
  Instance<void(vk::Pointer, vk::Features2*)>("vkGetPhysicalDeviceFeatures2")(physical_, &features);
  if (tensors.tensors == 0 || graphs.data_graph == 0 || graphs.shader_module == 0) {
    return NotFound(name_, ": found tensors ", tensors.tensors, ", dataGraph ", graphs.data_graph,
                    ", dataGraphShaderModule ", graphs.shader_module, ", expected 1 of each");
  }
  offer_.strides = tensors.non_packed != 0;
  offer_.specialization_constants = graphs.specialization_constants != 0;
  features.features[0] = 0;  // robustBufferAccess only costs time
  const float priority = 1;
  vk::QueueCreateInfo queue;
  queue.family = family_;
  queue.count = 1;
  queue.priorities = &priority;
  vk::DeviceCreateInfo info;
  info.next = &features;
  info.queue_count = 1;
  info.queues = &queue;
  info.extension_count = static_cast<uint32_t>(enabled.size());
  info.extensions = enabled.data();
  const vk::Result made =
      Instance<vk::Result(vk::Pointer, const vk::DeviceCreateInfo*, const void*, vk::Pointer*)>(
          "vkCreateDevice")(physical_, &info, nullptr, &device_);
  if (made != vk::kSuccess) return NotFound(name_, ": vkCreateDevice: ", ResultText(made));
  Get<void(vk::Pointer, uint32_t, uint32_t, vk::Pointer*)>("vkGetDeviceQueue")(device_, family_, 0,
                                                                               &queue_);
  Instance<void(vk::Pointer, vk::MemoryProperties*)>("vkGetPhysicalDeviceMemoryProperties")(
      physical_, &memory_);
  return absl::OkStatus();
}

void Device::AskOffer() {
  vk::TensorProperties limits;
  vk::PhysicalDeviceProperties2 properties;
  properties.next = &limits;
  Instance<void(vk::Pointer, vk::PhysicalDeviceProperties2*)>("vkGetPhysicalDeviceProperties2")(
      physical_, &properties);
  const auto limit = [](uint64_t value) {
    return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
  };
  offer_.max_rank = limits.max_dimension_count;
  offer_.max_dimension = limit(limits.max_dimension);
  offer_.max_elements = limit(limits.max_elements);
  offer_.max_bytes = limits.max_size;
  offer_.max_stride = limits.max_stride;
  auto* const formats = Instance<void(vk::Pointer, uint32_t, vk::FormatProperties2*)>(
      "vkGetPhysicalDeviceFormatProperties2");
  for (const FormatOfType& row : kFormats) {
    vk::TensorFormatProperties tensor;
    vk::FormatProperties2 format;
    format.next = &tensor;
    formats(physical_, row.format, &format);
    if ((tensor.linear & vk::kFormatTensorDataGraph) != 0) offer_.types.push_back(row.dtype);
    if ((tensor.optimal & vk::kFormatTensorDataGraph) != 0) {
      offer_.optimal_types.push_back(row.dtype);
    }
  }
  auto* const ask =
      Instance<vk::Result(vk::Pointer, uint32_t, const vk::QueueFamilyDataGraphProperties*,
                          vk::QueueFamilyTosaProperties*)>(
          "vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM");
  vk::QueueFamilyTosaProperties tosa;
  if (ask == nullptr || ask(physical_, family_, &property_, &tosa) != vk::kSuccess) return;
  for (uint32_t i = 0; i < tosa.profile_count; ++i) {
    offer_.profiles.push_back({TextOf(tosa.profiles[i].name), tosa.profiles[i].flags});
  }
  for (uint32_t i = 0; i < tosa.extension_count; ++i) {
    offer_.extensions.push_back({TextOf(tosa.extensions[i].name), tosa.extensions[i].flags});
  }
  offer_.level_8k = tosa.level == 1;
}

std::optional<uint32_t> Device::HostMemory(uint32_t types) const {
  for (uint32_t i = 0; i < memory_.type_count; ++i) {
    const bool host =
        (memory_.types[i].flags & vk::kHostVisibleCoherent) == vk::kHostVisibleCoherent;
    if (host && (types >> i & 1) != 0) return i;
  }
  return std::nullopt;
}

std::optional<uint32_t> Device::AnyMemory(uint32_t types) const {
  for (uint32_t i = 0; i < memory_.type_count; ++i) {
    if ((types >> i & 1) != 0) return i;
  }
  return std::nullopt;
}

}  // namespace cts
