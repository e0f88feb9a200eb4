// A library of Vulkan in place of a real one, for the test of tools/adapters/vulkan. Its device
// copies the bytes of a graph's first tensor into all others. STUB_VULKAN says what goes wrong:
// "lost" (the device), "abort" (in the making of a pipeline), "refused" (the pipeline), "memory"
// (none for a pipeline), "none" (no device runs graphs). STUB_VULKAN_NAMES: "tosa" names profiles.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "tools/adapters/vulkan/api.h"

using Function = void();
extern "C" __attribute__((visibility("default"))) Function* vkGetInstanceProcAddr(void*,
                                                                                  const char* name);

namespace {

namespace vk = cts::vk;
using vk::Handle;
using vk::Pointer;
using vk::Result;

bool Goes(std::string_view how) {
  const char* const given = std::getenv("STUB_VULKAN");
  return given != nullptr && how == given;
}

Handle next_handle = 1;
std::map<Handle, std::vector<char>> memories;
std::map<Handle, Handle> memory_of;  // of tensors
std::vector<Handle> tensors;         // in the order in which they were made
std::map<Handle, uint64_t> sizes;
int object;  // what pointers to instance, device, queue and command buffer show

// ---- The instance ----

Result CreateInstance(const void*, const void*, Pointer* made) {
  *made = &object;
  return 0;
}
Result EnumeratePhysicalDevices(Pointer, uint32_t* count, Pointer* list) {
  if (list != nullptr) *list = &object;
  *count = 1;
  return 0;
}
void GetProperties(Pointer, vk::PhysicalDeviceProperties2* properties) {
  std::strcpy(properties->name, "Stub 9000");
  properties->driver_version = 3 << 22 | 1 << 12 | 4;
  if (properties->next == nullptr) return;
  auto* limits = static_cast<vk::TensorProperties*>(const_cast<void*>(properties->next));
  limits->max_dimension_count = 4;
  limits->max_elements = limits->max_dimension = limits->max_size = 1000;
}
void GetQueueFamilies(Pointer, uint32_t* count, vk::QueueFamilyProperties* list) {
  if (list != nullptr) list->flags = Goes("none") ? 1 : vk::kDataGraphQueue;
  *count = 1;
}
Result GetDataGraphProperties(Pointer, uint32_t, uint32_t* count,
                              vk::QueueFamilyDataGraphProperties* list) {
  if (list != nullptr) std::strcpy(list->operation, "TOSA.001000.1");
  *count = 1;
  return 0;
}
Result GetTosaProperties(Pointer, uint32_t, const void*, vk::QueueFamilyTosaProperties* tosa) {
  static vk::NameAndQuality profile, extension;
  const bool named = std::getenv("STUB_VULKAN_NAMES") != nullptr;
  std::strcpy(profile.name, named ? "PRO-INT" : "Something else");
  std::strcpy(extension.name, "EXT-INT16");
  profile.flags = 2;
  tosa->profile_count = 1;
  tosa->profiles = &profile;
  tosa->extension_count = named ? 1 : 0;
  tosa->extensions = &extension;
  tosa->level = 1;
  return 0;
}
void GetFormatProperties(Pointer, uint32_t format, vk::FormatProperties2* properties) {
  auto* tensor = static_cast<vk::TensorFormatProperties*>(const_cast<void*>(properties->next));
  tensor->linear = format == 14 || format == 99 ? vk::kFormatTensorDataGraph : 0;  // i8, i32
}
Result EnumerateExtensions(Pointer, const char*, uint32_t* count, vk::ExtensionProperties* list) {
  if (list != nullptr) {
    std::strcpy(list[0].name, "VK_ARM_tensors");
    std::strcpy(list[1].name, "VK_ARM_data_graph");
  }
  *count = 2;
  return 0;
}
void GetFeatures(Pointer, vk::Features2* features) {
  auto* found = static_cast<vk::TensorFeatures*>(const_cast<void*>(features->next));
  found->tensors = 1;
  auto* graphs = static_cast<vk::DataGraphFeatures*>(const_cast<void*>(found->next));
  graphs->data_graph = graphs->shader_module = 1;
}
void GetMemoryProperties(Pointer, vk::MemoryProperties* memory) {
  memory->type_count = 1;
  memory->types[0].flags = vk::kHostVisibleCoherent;
}

// ---- The device ----

Result Make(Pointer, const void*, const void*, Handle* made) {
  *made = next_handle++;
  return 0;
}
Result MakePointer(Pointer, const void*, const void*, Pointer* made) {
  *made = &object;
  return 0;
}
Result AllocateCommands(Pointer, const void*, Pointer* made) {
  *made = &object;
  return 0;
}
Result AllocateSet(Pointer, const void*, Handle* made) {
  *made = next_handle++;
  return 0;
}
void GetQueue(Pointer, uint32_t, uint32_t, Pointer* queue) { *queue = &object; }
Result CreateTensor(Pointer, const vk::TensorCreateInfo* info, const void*, Handle* made) {
  *made = next_handle++;
  uint64_t bytes = info->description->format == 99 ? 4 : 1;
  for (uint32_t i = 0; i < info->description->dimension_count; ++i) {
    bytes *= static_cast<uint64_t>(info->description->dimensions[i]);
  }
  sizes[*made] = bytes;
  tensors.push_back(*made);
  return 0;
}
void DestroyTensor(Pointer, Handle tensor, const void*) { std::erase(tensors, tensor); }
void TensorMemory(Pointer, const vk::TensorMemoryRequirementsInfo* info,
                  vk::MemoryRequirements2* needed) {
  needed->size = sizes[info->tensor];
  needed->memory_types = 1;
}
Result AllocateMemory(Pointer, const vk::MemoryAllocateInfo* info, const void*, Handle* made) {
  *made = next_handle++;
  memories[*made].resize(info->size);
  return 0;
}
Result MapMemory(Pointer, Handle memory, uint64_t, uint64_t, uint32_t, void** bytes) {
  *bytes = memories[memory].data();
  return 0;
}
Result BindTensor(Pointer, uint32_t, const vk::BindTensorMemoryInfo* info) {
  memory_of[info->tensor] = info->memory;
  return 0;
}
Result CreatePipelines(Pointer, Handle, Handle, uint32_t, const void*, const void*, Handle* made) {
  if (Goes("abort")) std::abort();
  if (Goes("refused")) return -3;
  if (Goes("memory")) return vk::kOutOfDeviceMemory;
  *made = next_handle++;
  return 0;
}
Result BindPoints(Pointer, const void*, uint32_t* count, vk::SessionBindPointRequirement* list) {
  if (list != nullptr) list->object_count = 1;
  *count = 1;
  return 0;
}
void SessionMemory(Pointer, const void*, vk::MemoryRequirements2* needed) {
  needed->size = needed->alignment = 64;
  needed->memory_types = 1;
}
// At the offset that was asked for, and as poisoned.
Result BindSession(Pointer, uint32_t, const vk::BindSessionMemoryInfo* info) {
  const std::vector<char>& memory = memories[info->memory];
  const bool right = memory.size() == info->offset + 64 && memory[info->offset] == '\xa5';
  return right ? 0 : -13;
}
Result Submit(Pointer, uint32_t, const void*, Handle) {
  if (Goes("lost")) return vk::kDeviceLost;
  const std::vector<char>& from = memories[memory_of[tensors[0]]];
  for (const Handle tensor : tensors) {
    std::vector<char>& to = memories[memory_of[tensor]];
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
  }
  return 0;
}
Result Succeed() { return 0; }

struct Named {
  const char* name;
  Function* function;
};
template <class F>
Function* Any(F* function) {
  return reinterpret_cast<Function*>(function);
}

const Named kFunctions[] = {
    {"vkCreateInstance", Any(CreateInstance)},
    {"vkGetDeviceProcAddr", Any(vkGetInstanceProcAddr)},
    {"vkEnumeratePhysicalDevices", Any(EnumeratePhysicalDevices)},
    {"vkGetPhysicalDeviceProperties2", Any(GetProperties)},
    {"vkGetPhysicalDeviceQueueFamilyProperties", Any(GetQueueFamilies)},
    {"vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM", Any(GetDataGraphProperties)},
    {"vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM", Any(GetTosaProperties)},
    {"vkGetPhysicalDeviceFormatProperties2", Any(GetFormatProperties)},
    {"vkEnumerateDeviceExtensionProperties", Any(EnumerateExtensions)},
    {"vkGetPhysicalDeviceFeatures2", Any(GetFeatures)},
    {"vkGetPhysicalDeviceMemoryProperties", Any(GetMemoryProperties)},
    {"vkCreateDevice", Any(MakePointer)},
    {"vkGetDeviceQueue", Any(GetQueue)},
    {"vkCreateTensorARM", Any(CreateTensor)},
    {"vkDestroyTensorARM", Any(DestroyTensor)},
    {"vkGetTensorMemoryRequirementsARM", Any(TensorMemory)},
    {"vkAllocateMemory", Any(AllocateMemory)},
    {"vkMapMemory", Any(MapMemory)},
    {"vkBindTensorMemoryARM", Any(BindTensor)},
    {"vkCreateDataGraphPipelinesARM", Any(CreatePipelines)},
    {"vkGetDataGraphPipelineSessionBindPointRequirementsARM", Any(BindPoints)},
    {"vkGetDataGraphPipelineSessionMemoryRequirementsARM", Any(SessionMemory)},
    {"vkBindDataGraphPipelineSessionMemoryARM", Any(BindSession)},
    {"vkAllocateDescriptorSets", Any(AllocateSet)},
    {"vkAllocateCommandBuffers", Any(AllocateCommands)},
    {"vkQueueSubmit", Any(Submit)},
};

}  // namespace

extern "C" Function* vkGetInstanceProcAddr(void*, const char* name) {
  for (const Named& row : kFunctions) {
    if (std::string_view(row.name) == name) return row.function;
  }
  // A call that makes an object gives it a number; everything else succeeds and does nothing.
  return std::string_view(name).starts_with("vkCreate") ? Any(Make) : Any(Succeed);
}
