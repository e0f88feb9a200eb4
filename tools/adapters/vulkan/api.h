// The part of Vulkan that this adapter needs: the structures and numbers of vulkan_core.h. They are
// repeated here because Debian 12's header lacks VK_ARM_tensors and VK_ARM_data_graph.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cts::vk {

using Handle = uint64_t;  // a non-dispatchable handle
// A dispatchable handle: instance, physical device, device, queue or command buffer.
using Pointer = void*;
using Result = int32_t;

inline constexpr Result kSuccess = 0, kOutOfHostMemory = -1, kOutOfDeviceMemory = -2,
                        kDeviceLost = -4, kExtensionNotPresent = -7, kFeatureNotPresent = -8,
                        kFormatNotSupported = -11;

inline constexpr uint32_t kApi13 = 1 << 22 | 3 << 12;
inline constexpr uint32_t kHostVisibleCoherent = 2 | 4;
inline constexpr uint32_t kDataGraphQueue = 0x400;
inline constexpr uint32_t kCopyingQueue = 1 | 2 | 4;  // graphics, compute or transfer
inline constexpr uint32_t kBindPointDataGraph = 1000507000;
inline constexpr uint32_t kDescriptorTensor = 1000460000;
inline constexpr uint32_t kAllStages = 0x7fffffff;
inline constexpr uint64_t kStageDataGraph = 0x40000000000, kStageHost = 0x4000,
                          kStageTransfer = 0x1000;
inline constexpr uint64_t kAccessDataGraphRead = 0x800000000000,
                          kAccessDataGraphWrite = 0x1000000000000, kAccessHostRead = 0x2000,
                          kAccessHostWrite = 0x4000, kAccessTransferRead = 0x800,
                          kAccessTransferWrite = 0x1000;
inline constexpr uint64_t kFormatTensorDataGraph = 0x1000000000000;
inline constexpr uint32_t kTilingOptimal = 0, kTilingLinear = 1;
inline constexpr uint64_t kUsageTransferSource = 4, kUsageTransferTarget = 8,
                          kUsageDataGraph = 0x20;
inline constexpr uint64_t kWholeSize = ~uint64_t{0};

// Vulkan numbers the types of most structures. Each of these structures begins with the two members
// of Head<the number of its type>.
template <uint32_t kType>
struct Head {
  uint32_t type = kType;
  const void* next = nullptr;
};

struct ApplicationInfo : Head<0> {
  const char* application = nullptr;
  uint32_t application_version = 0;
  const char* engine = nullptr;
  uint32_t engine_version = 0, api_version = 0;
};
struct InstanceCreateInfo : Head<1> {
  uint32_t flags = 0;
  const ApplicationInfo* application = nullptr;
  uint32_t layer_count = 0;
  const char* const* layers = nullptr;
  uint32_t extension_count = 0;
  const char* const* extensions = nullptr;
};
struct QueueCreateInfo : Head<2> {
  uint32_t flags = 0, family = 0, count = 0;
  const float* priorities = nullptr;
};
struct DeviceCreateInfo : Head<3> {
  uint32_t flags = 0, queue_count = 0;
  const QueueCreateInfo* queues = nullptr;
  uint32_t layer_count = 0;
  const char* const* layers = nullptr;
  uint32_t extension_count = 0;
  const char* const* extensions = nullptr;
  const void* features = nullptr;
};
struct SubmitInfo : Head<4> {
  uint32_t wait_count = 0;
  const Handle* waits = nullptr;
  const uint32_t* wait_stages = nullptr;
  uint32_t command_buffer_count = 0;
  const Pointer* command_buffers = nullptr;
  uint32_t signal_count = 0;
  const Handle* signals = nullptr;
};
struct MemoryAllocateInfo : Head<5> {
  uint64_t size = 0;
  uint32_t memory_type = 0;
};
struct FenceCreateInfo : Head<8> {
  uint32_t flags = 0;
};
struct ShaderModuleCreateInfo : Head<16> {
  uint32_t flags = 0;
  size_t size = 0;
  const uint32_t* code = nullptr;
};
struct PipelineCacheCreateInfo : Head<17> {
  uint32_t flags = 0;
  size_t size = 0;
  const void* data = nullptr;
};
struct PipelineLayoutCreateInfo : Head<30> {
  uint32_t flags = 0, set_count = 0;
  const Handle* sets = nullptr;
  uint32_t push_constant_count = 0;
  const void* push_constants = nullptr;
};
struct DescriptorSetLayoutBinding {
  uint32_t binding = 0, type = kDescriptorTensor, count = 1, stages = kAllStages;
  const Handle* samplers = nullptr;
};
struct DescriptorSetLayoutCreateInfo : Head<32> {
  uint32_t flags = 0, count = 0;
  const DescriptorSetLayoutBinding* bindings = nullptr;
};
struct DescriptorPoolSize {
  uint32_t type = kDescriptorTensor, count = 0;
};
struct DescriptorPoolCreateInfo : Head<33> {
  uint32_t flags = 0, max_sets = 1, size_count = 1;
  const DescriptorPoolSize* sizes = nullptr;
};
struct DescriptorSetAllocateInfo : Head<34> {
  Handle pool = 0;
  uint32_t count = 1;
  const Handle* layouts = nullptr;
};
struct WriteDescriptorSet : Head<35> {
  Handle set = 0;
  uint32_t binding = 0, element = 0, count = 1, type = kDescriptorTensor;
  const void *images = nullptr, *buffers = nullptr, *texels = nullptr;
};
struct CommandPoolCreateInfo : Head<39> {
  uint32_t flags = 0, family = 0;
};
struct CommandBufferAllocateInfo : Head<40> {
  Handle pool = 0;
  uint32_t level = 0, count = 1;
};
struct CommandBufferBeginInfo : Head<42> {
  uint32_t flags = 0;
  const void* inheritance = nullptr;
};
struct MemoryBarrier2 : Head<1000314000> {
  uint64_t from_stage = 0, from_access = 0, to_stage = 0, to_access = 0;
};
struct DependencyInfo : Head<1000314003> {
  uint32_t flags = 0, memory_count = 0;
  const MemoryBarrier2* memory = nullptr;
  uint32_t buffer_count = 0;
  const void* buffers = nullptr;
  uint32_t image_count = 0;
  const void* images = nullptr;
};
struct MemoryRequirements2 : Head<1000146003> {
  uint64_t size = 0, alignment = 0;
  uint32_t memory_types = 0;
};
struct FormatProperties2 : Head<1000059002> {
  uint32_t linear = 0, optimal = 0, buffer = 0;
};
constexpr int kFeatureCount = 55;
struct Features2 : Head<1000059000> {
  uint32_t features[kFeatureCount] = {};
};
struct ShaderFloat16Int8Features : Head<1000082000> {
  uint32_t float16 = 0, int8 = 0;
};
struct VulkanMemoryModelFeatures : Head<1000211000> {
  uint32_t model = 0, device_scope = 0, chains = 0;
};
struct Synchronization2Features : Head<1000314007> {
  uint32_t synchronization2 = 0;
};

// VK_ARM_tensors.
struct TensorDescription : Head<1000460006> {
  uint32_t tiling = kTilingLinear, format = 0, dimension_count = 0;
  const int64_t *dimensions = nullptr, *strides = nullptr;
  uint64_t usage = kUsageDataGraph;
};
struct TensorCreateInfo : Head<1000460000> {
  uint64_t flags = 0;
  const TensorDescription* description = nullptr;
  uint32_t sharing = 0, family_count = 0;
  const uint32_t* families = nullptr;
};
struct TensorViewCreateInfo : Head<1000460001> {
  uint64_t flags = 0;
  Handle tensor = 0;
  uint32_t format = 0;
};
struct BindTensorMemoryInfo : Head<1000460002> {
  Handle tensor = 0, memory = 0;
  uint64_t offset = 0;
};
struct WriteDescriptorSetTensor : Head<1000460003> {
  uint32_t count = 1;
  const Handle* views = nullptr;
};
struct TensorProperties : Head<1000460004> {
  uint32_t max_dimension_count = 0;
  uint64_t max_elements = 0, max_dimension = 0;
  int64_t max_stride = 0;
  uint64_t max_size = 0;
  uint32_t max_shader_array = 0, max_shader_size = 0, descriptor_limits[4] = {};
  uint32_t non_uniform_native = 0, stages = 0;
};
struct TensorFormatProperties : Head<1000460005> {
  uint64_t optimal = 0, linear = 0;
};
struct TensorMemoryRequirementsInfo : Head<1000460007> {
  Handle tensor = 0;
};
struct TensorFeatures : Head<1000460009> {
  uint32_t non_packed = 0, shader_access = 0, dynamic_indexing = 0, non_uniform_indexing = 0,
           update_after_bind = 0, tensors = 0;
};
struct TensorCopy : Head<1000460012> {
  uint32_t dimension_count = 0;
  const uint64_t *from = nullptr, *to = nullptr, *extent = nullptr;  // null: the whole tensor
};
struct CopyTensorInfo : Head<1000460011> {
  Handle from = 0, to = 0;
  uint32_t region_count = 1;
  const TensorCopy* regions = nullptr;
};
// Only the name and the driver's version are used; the limits are in `rest`.
struct PhysicalDeviceProperties2 : Head<1000059001> {
  uint32_t api_version = 0, driver_version = 0, vendor = 0, device = 0, kind = 0;
  char name[256] = {};
  alignas(8) uint8_t rest[1024] = {};
};

// VK_ARM_data_graph.
struct DataGraphPipelineConstant : Head<1000507003> {
  uint32_t id = 0;
  const void* data = nullptr;
};
struct DataGraphPipelineResourceInfo : Head<1000507002> {
  uint32_t set = 0, binding = 0, element = 0;
};
struct DataGraphPipelineShaderModuleCreateInfo : Head<1000507007> {
  Handle module = 0;
  const char* entry_point = nullptr;
  const void* specialization = nullptr;
  uint32_t constant_count = 0;
  const DataGraphPipelineConstant* constants = nullptr;
};
struct DataGraphPipelineCreateInfo : Head<1000507000> {
  uint64_t flags = 0;
  Handle layout = 0;
  uint32_t resource_count = 0;
  const DataGraphPipelineResourceInfo* resources = nullptr;
};
struct DataGraphPipelineInfo : Head<1000507009> {
  Handle pipeline = 0;
};
struct PipelinePropertyQueryResult : Head<1000507008> {
  uint32_t property = 0;  // 0: CREATION_LOG
  uint32_t is_text = 0;
  size_t size = 0;
  void* data = nullptr;
};
struct DataGraphPipelineSessionCreateInfo : Head<1000507001> {
  uint64_t flags = 0;
  Handle pipeline = 0;
};
struct SessionMemoryRequirementsInfo : Head<1000507004> {
  Handle session = 0;
  uint32_t bind_point = 0, object = 0;
};
struct BindSessionMemoryInfo : Head<1000507005> {
  Handle session = 0;
  uint32_t bind_point = 0, object = 0;
  Handle memory = 0;
  uint64_t offset = 0;
};
struct DataGraphFeatures : Head<1000507006> {
  uint32_t data_graph = 0, update_after_bind = 0, specialization_constants = 0,
           descriptor_buffer = 0, shader_module = 0;
};
struct SessionBindPointRequirementsInfo : Head<1000507011> {
  Handle session = 0;
};
struct SessionBindPointRequirement : Head<1000507012> {
  uint32_t bind_point = 0, kind = 0, object_count = 0;
};
struct DataGraphEngine {
  uint32_t kind = 0, is_foreign = 0;
};
struct ProcessingEngineCreateInfo : Head<1000507016> {
  uint32_t count = 1;
  const DataGraphEngine* engines = nullptr;
};
struct QueueFamilyDataGraphProperties : Head<1000507018> {
  DataGraphEngine engine;
  uint32_t operation_kind = 0;
  char operation[128] = {};
  uint32_t operation_version = 0;
};
struct NameAndQuality {
  char name[128] = {};
  uint32_t flags = 0;
};
struct QueueFamilyTosaProperties : Head<1000508000> {
  uint32_t profile_count = 0;
  const NameAndQuality* profiles = nullptr;
  uint32_t extension_count = 0;
  const NameAndQuality* extensions = nullptr;
  uint32_t level = 0;
};

struct QueueFamilyProperties {
  uint32_t flags = 0, count = 0, timestamp_bits = 0, granularity[3] = {};
};
struct MemoryType {
  uint32_t flags = 0, heap = 0;
};
struct MemoryHeap {
  uint64_t size = 0;
  uint32_t flags = 0;
};
struct MemoryProperties {
  uint32_t type_count = 0;
  MemoryType types[32];
  uint32_t heap_count = 0;
  MemoryHeap heaps[16];
};
struct ExtensionProperties {
  char name[256] = {};
  uint32_t version = 0;
};

}  // namespace cts::vk
