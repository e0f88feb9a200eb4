// A library of Vulkan in place of a real one, for the test of tools/adapters/vulkan. Its device
// copies the bytes of a graph's first tensor, as the module's interface has them, into all others.
// STUB_VULKAN says what goes wrong: "lost" (the device), "abort" (in the making of a pipeline),
// "refused" (the pipeline), "memory" (none for a pipeline), "none" (no device runs graphs), "plain"
// (it has no strides and copies no tensors), "bindings" (it takes tensors in the order of their
// bindings), "unwritten" (the first byte of each output). A wrong byte where "strided", "optimal",
// "repeated", "sessions", "cached", "offset", "sets" (more than one) or "poison" (another in the
// session's memory) says so. STUB_VULKAN_NAMES: "tosa" names a profile and an
// extension, "extension" the latter alone.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
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
struct StubTensor {
  uint64_t size = 0;
  Handle memory = 0;
  bool strided = false, optimal = false;
};
using Place = std::pair<uint32_t, uint32_t>;  // a set and a binding
struct Pipeline {
  bool is_cached = false;     // it came out of a filled cache
  std::vector<Place> places;  // of the tensors of the module's interface
};
struct Step {
  Handle from = 0, to = 0;           // a copy, or
  Handle session = 0, pipeline = 0;  // a dispatch
  std::vector<Handle> sets;
};
struct Commands {
  std::vector<Step> steps;
  Handle pipeline = 0;
  std::vector<Handle> sets;
};
struct Session {
  Handle pipeline = 0;
  bool is_second = false, has_offset = false;
  char first_byte = 0;  // of its memory, when it was bound
};
std::mutex mutex;  // calls of two threads come together
std::map<Handle, std::vector<char>> memories;
std::map<Handle, StubTensor> tensors;
std::map<Handle, Handle> views;
std::map<Handle, std::map<uint32_t, Handle>> sets;  // tensors by binding
std::map<Handle, std::vector<uint32_t>> modules;
std::map<Handle, Pipeline> pipelines;
std::map<Handle, Session> sessions;
std::map<Handle, bool> caches;  // whether one was filled at the beginning
int object;                     // what pointers to instance, device and queue show

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
  limits->max_stride = 1000;
}
void GetQueueFamilies(Pointer, uint32_t* count, vk::QueueFamilyProperties* list) {
  if (list != nullptr) {
    list->flags = Goes("none") ? 1 : vk::kDataGraphQueue | (Goes("plain") ? 0 : 4);
  }
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
  const char* const names = std::getenv("STUB_VULKAN_NAMES");
  const bool is_tosa = names != nullptr && std::string_view(names) == "tosa";
  std::strcpy(profile.name, is_tosa ? "PRO-INT" : "Something else");
  std::strcpy(extension.name, "EXT-INT16");
  profile.flags = 2;
  tosa->profile_count = 1;
  tosa->profiles = &profile;
  tosa->extension_count = names != nullptr ? 1 : 0;
  tosa->extensions = &extension;
  tosa->level = 1;
  return 0;
}
void GetFormatProperties(Pointer, uint32_t format, vk::FormatProperties2* properties) {
  auto* tensor = static_cast<vk::TensorFormatProperties*>(const_cast<void*>(properties->next));
  tensor->linear = format == 14 || format == 99 ? vk::kFormatTensorDataGraph : 0;  // i8, i32
  tensor->optimal = tensor->linear;
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
  found->non_packed = Goes("plain") ? 0 : 1;
  auto* graphs = static_cast<vk::DataGraphFeatures*>(const_cast<void*>(found->next));
  graphs->data_graph = graphs->shader_module = 1;
}
void GetMemoryProperties(Pointer, vk::MemoryProperties* memory) {
  memory->type_count = 1;
  memory->types[0].flags = vk::kHostVisibleCoherent;
}

// ---- The device ----

Result Make(Pointer, const void*, const void*, Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  *made = next_handle++;
  return 0;
}
Result MakePointer(Pointer, const void*, const void*, Pointer* made) {
  *made = &object;
  return 0;
}
Result AllocateCommands(Pointer, const void*, Pointer* made) {
  *made = new Commands;  // lives as long as the process
  return 0;
}
Result AllocateSets(Pointer, const vk::DescriptorSetAllocateInfo* info, Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (uint32_t i = 0; i < info->count; ++i) made[i] = next_handle++;
  return 0;
}
void GetQueue(Pointer, uint32_t, uint32_t, Pointer* queue) { *queue = &object; }
Result CreateTensor(Pointer, const vk::TensorCreateInfo* info, const void*, Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  const vk::TensorDescription& description = *info->description;
  *made = next_handle++;
  StubTensor& tensor = tensors[*made];
  tensor.strided = description.strides != nullptr;
  tensor.optimal = description.tiling == vk::kTilingOptimal;
  tensor.size = description.format == 99 ? 4 : 1;
  for (uint32_t i = 0; i < description.dimension_count; ++i) {
    tensor.size *= static_cast<uint64_t>(description.dimensions[i]);
  }
  if (tensor.strided) {
    tensor.size = static_cast<uint64_t>(description.dimensions[0] * description.strides[0]);
  }
  return 0;
}
Result CreateView(Pointer, const vk::TensorViewCreateInfo* info, const void*, Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  *made = next_handle++;
  views[*made] = info->tensor;
  return 0;
}
void TensorMemory(Pointer, const vk::TensorMemoryRequirementsInfo* info,
                  vk::MemoryRequirements2* needed) {
  const std::lock_guard<std::mutex> lock(mutex);
  needed->size = tensors[info->tensor].size;
  needed->memory_types = 1;
}
Result AllocateMemory(Pointer, const vk::MemoryAllocateInfo* info, const void*, Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  *made = next_handle++;
  memories[*made].resize(info->size);
  return 0;
}
Result MapMemory(Pointer, Handle memory, uint64_t, uint64_t, uint32_t, void** bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  *bytes = memories[memory].data();
  return 0;
}
Result BindTensor(Pointer, uint32_t, const vk::BindTensorMemoryInfo* info) {
  const std::lock_guard<std::mutex> lock(mutex);
  tensors[info->tensor].memory = info->memory;
  return 0;
}
Result CreateCache(Pointer, const vk::PipelineCacheCreateInfo* info, const void*, Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  *made = next_handle++;
  caches[*made] = info->size == 4 && std::memcmp(info->data, "full", 4) == 0;
  return 0;
}
Result CacheData(Pointer, Handle, size_t* size, void* data) {
  *size = 4;
  if (data != nullptr) std::memcpy(data, "full", 4);
  return 0;
}
Result CreateModule(Pointer, const vk::ShaderModuleCreateInfo* info, const void*, Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  *made = next_handle++;
  modules[*made].assign(info->code, info->code + info->size / 4);
  return 0;
}
// Where the module's decorations put the variables of its entry point, in their order.
std::vector<Place> PlacesOf(const std::vector<uint32_t>& words) {
  constexpr uint32_t kDecorate = 71, kBinding = 33, kSet = 34, kEntryPoint = 4182;
  std::map<uint32_t, Place> decorated;
  std::vector<Place> places;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const uint32_t op = words[at] & 0xffff;
    if (op == kDecorate && words[at + 2] == kSet) decorated[words[at + 1]].first = words[at + 3];
    if (op == kDecorate && words[at + 2] == kBinding) {
      decorated[words[at + 1]].second = words[at + 3];
    }
    if (op != kEntryPoint) continue;
    const size_t name = std::strlen(reinterpret_cast<const char*>(&words[at + 2]));
    for (size_t i = at + 3 + name / 4; i < at + (words[at] >> 16); ++i) {
      places.push_back(decorated.at(words[i]));
    }
  }
  return places;
}
// The resources must be those of the module.
Result CreatePipelines(Pointer, Handle, Handle cache, uint32_t,
                       const vk::DataGraphPipelineCreateInfo* info, const void*, Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (Goes("abort")) std::abort();
  if (Goes("refused")) return -3;
  if (Goes("memory")) return vk::kOutOfDeviceMemory;
  const auto* code = static_cast<const vk::DataGraphPipelineShaderModuleCreateInfo*>(info->next);
  std::vector<Place> places = PlacesOf(modules.at(code->module)), resources;
  for (uint32_t i = 0; i < info->resource_count; ++i) {
    resources.emplace_back(info->resources[i].set, info->resources[i].binding);
  }
  if (!std::is_permutation(places.begin(), places.end(), resources.begin(), resources.end())) {
    return -13;
  }
  if (Goes("bindings")) std::sort(places.begin(), places.end());
  *made = next_handle++;
  pipelines[*made] = {cache != 0 && caches[cache], std::move(places)};
  return 0;
}
Result Properties(Pointer, const void*, uint32_t, vk::PipelinePropertyQueryResult* result) {
  constexpr char kLog[] = "stub: 1 operator";
  result->is_text = 1;
  result->size = sizeof kLog;
  if (result->data != nullptr) std::memcpy(result->data, kLog, sizeof kLog);
  return 0;
}
Result CreateSession(Pointer, const vk::DataGraphPipelineSessionCreateInfo* info, const void*,
                     Handle* made) {
  const std::lock_guard<std::mutex> lock(mutex);
  bool second = false;
  for (const auto& [handle, other] : sessions) second |= other.pipeline == info->pipeline;
  *made = next_handle++;
  sessions[*made] = {.pipeline = info->pipeline, .is_second = second};
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
  const std::lock_guard<std::mutex> lock(mutex);
  const std::vector<char>& memory = memories[info->memory];
  if (memory.size() != info->offset + 64) return -13;
  Session& session = sessions[info->session];
  session.has_offset = info->offset > 0;
  session.first_byte = memory[info->offset];
  const bool poisoned =
      std::all_of(memory.begin(), memory.end(), [&](char c) { return c == session.first_byte; });
  return poisoned && session.first_byte != 0 ? 0 : -13;
}
void UpdateSets(Pointer, uint32_t, const vk::WriteDescriptorSet* write, uint32_t, const void*) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto* tensor = static_cast<const vk::WriteDescriptorSetTensor*>(write->next);
  sets[write->set][write->binding] = views[*tensor->views];
}
void BindPipeline(Pointer commands, uint32_t, Handle pipeline) {
  static_cast<Commands*>(commands)->pipeline = pipeline;
}
void BindSets(Pointer commands, uint32_t, Handle, uint32_t, uint32_t count, const Handle* given,
              uint32_t, const uint32_t*) {
  static_cast<Commands*>(commands)->sets.assign(given, given + count);
}
void Dispatch(Pointer commands, Handle session, const void*) {
  auto* recorded = static_cast<Commands*>(commands);
  recorded->steps.push_back(
      {.session = session, .pipeline = recorded->pipeline, .sets = recorded->sets});
}
void CopyTensor(Pointer commands, const vk::CopyTensorInfo* info) {
  static_cast<Commands*>(commands)->steps.push_back({.from = info->from, .to = info->to});
}

void CopyBytes(Handle from, Handle to) {
  const std::vector<char>& source = memories[tensors[from].memory];
  std::vector<char>& target = memories[tensors[to].memory];
  std::copy_n(source.begin(), std::min(source.size(), target.size()), target.begin());
}
void RunGraph(const Step& step, bool repeated) {
  const Pipeline& pipeline = pipelines[step.pipeline];
  std::vector<Handle> ports;
  for (const auto& [set, binding] : pipeline.places) {
    ports.push_back(sets.at(step.sets.at(set)).at(binding));
  }
  const Handle first = ports.front();
  const Session& session = sessions[step.session];
  const bool wrong =
      (Goes("strided") && tensors[first].strided) || (Goes("optimal") && tensors[first].optimal) ||
      (Goes("repeated") && repeated) || (Goes("sessions") && session.is_second) ||
      (Goes("offset") && session.has_offset) || (Goes("cached") && pipeline.is_cached) ||
      (Goes("sets") && step.sets.size() > 1) || (Goes("poison") && session.first_byte != '\xa5');
  for (size_t i = 1; i < ports.size(); ++i) {
    char& byte = memories[tensors[ports[i]].memory][0];
    const char before = byte;
    CopyBytes(first, ports[i]);
    if (wrong) byte ^= 1;
    if (Goes("unwritten")) byte = before;
  }
}
Result Submit(Pointer, uint32_t, const vk::SubmitInfo* info, Handle) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (Goes("lost")) return vk::kDeviceLost;
  std::map<Handle, int> dispatches;
  for (const Step& step : static_cast<Commands*>(info->command_buffers[0])->steps) {
    if (step.session == 0) {
      CopyBytes(step.from, step.to);
    } else {
      RunGraph(step, dispatches[step.session]++ > 0);
    }
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
    {"vkCreateTensorViewARM", Any(CreateView)},
    {"vkGetTensorMemoryRequirementsARM", Any(TensorMemory)},
    {"vkAllocateMemory", Any(AllocateMemory)},
    {"vkMapMemory", Any(MapMemory)},
    {"vkBindTensorMemoryARM", Any(BindTensor)},
    {"vkCreateShaderModule", Any(CreateModule)},
    {"vkCreateDataGraphPipelinesARM", Any(CreatePipelines)},
    {"vkGetDataGraphPipelineSessionBindPointRequirementsARM", Any(BindPoints)},
    {"vkGetDataGraphPipelineSessionMemoryRequirementsARM", Any(SessionMemory)},
    {"vkBindDataGraphPipelineSessionMemoryARM", Any(BindSession)},
    {"vkAllocateDescriptorSets", Any(AllocateSets)},
    {"vkAllocateCommandBuffers", Any(AllocateCommands)},
    {"vkCreatePipelineCache", Any(CreateCache)},
    {"vkGetPipelineCacheData", Any(CacheData)},
    {"vkGetDataGraphPipelinePropertiesARM", Any(Properties)},
    {"vkCreateDataGraphPipelineSessionARM", Any(CreateSession)},
    {"vkUpdateDescriptorSets", Any(UpdateSets)},
    {"vkCmdBindPipeline", Any(BindPipeline)},
    {"vkCmdBindDescriptorSets", Any(BindSets)},
    {"vkCmdDispatchDataGraphARM", Any(Dispatch)},
    {"vkCmdCopyTensorARM", Any(CopyTensor)},
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
