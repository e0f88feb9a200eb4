#include "tools/adapters/vulkan/execution.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "reference/base/contains.h"
#include "reference/formats/unsupported.h"

namespace cts {
namespace {

// The word of a failing call about the module: nothing where the device has too little.
Status StatusOfCall(const char* call, vk::Result result) {
  const std::string text = StrCat(call, ": ", ResultText(result));
  switch (result) {
    case vk::kSuccess:
      return absl::OkStatus();
    case vk::kDeviceLost:
      return Status(absl::StatusCode::kAborted, text);
    case vk::kOutOfHostMemory:
    case vk::kOutOfDeviceMemory:
    case vk::kExtensionNotPresent:
    case vk::kFeatureNotPresent:
    case vk::kFormatNotSupported:
      return Unsupported(text);
    default:
      return InvalidArgument(text);
  }
}

// Longer logs are cut.
constexpr size_t kMaxLog = 2000;

// Bytes from one element of each dimension to the next, with `gap` elements behind each row, each
// plane and so on.
std::vector<int64_t> StridesOf(const SpirvPort& port, int64_t gap) {
  std::vector<int64_t> strides(port.shape.size());
  int64_t stride = StorageBytes(port.dtype);
  for (size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    stride = stride * port.shape[i] + gap * StorageBytes(port.dtype);
  }
  return strides;
}

// Copies rows between packed bytes and those with strides.
template <class Copy>
void ForEachRow(const Shape& shape, const std::vector<int64_t>& strides, const Copy& copy) {
  const int64_t row_bytes = shape.back() * strides.back();
  const int64_t rows = ElementCount(shape) / shape.back();
  for (int64_t row = 0; row < rows; ++row) {
    int64_t offset = 0, rest = row;
    for (size_t i = shape.size() - 1; i-- > 0; rest /= shape[i]) {
      offset += rest % shape[i] * strides[i];
    }
    copy(row * row_bytes, offset, static_cast<size_t>(row_bytes));
  }
}

}  // namespace

StatusOr<std::unique_ptr<GraphOnDevice>> GraphOnDevice::Prepare(const Device& device,
                                                                const SpirvModule& module,
                                                                const ExecutionOptions& options) {
  std::unique_ptr<GraphOnDevice> graph(new GraphOnDevice(device, module, options));
  CTS_RETURN_IF_ERROR(graph->CheckOptions());
  graph->benches_.resize(static_cast<size_t>(options.sessions));
  for (Bench& bench : graph->benches_) CTS_RETURN_IF_ERROR(graph->MakeTensors(bench));
  CTS_RETURN_IF_ERROR(graph->MakeLayout());
  CTS_RETURN_IF_ERROR(graph->MakePipeline());
  CTS_RETURN_IF_ERROR(graph->MakeDescriptorPool());
  for (Bench& bench : graph->benches_) {
    CTS_RETURN_IF_ERROR(graph->MakeSession(bench));
    CTS_RETURN_IF_ERROR(graph->MakeDescriptors(bench));
  }
  CTS_RETURN_IF_ERROR(graph->MakeCommands());
  return graph;
}

GraphOnDevice::~GraphOnDevice() {
  for (auto destroy = destroy_.rbegin(); destroy != destroy_.rend(); ++destroy) (*destroy)();
}

template <class Info>
Status GraphOnDevice::Make(const char* create, const char* destroy, const Info& info,
                           vk::Handle* object) {
  auto* const make =
      device_.Get<vk::Result(vk::Pointer, const Info*, const void*, vk::Handle*)>(create);
  if (make == nullptr) return Unsupported("the device has no ", create);
  CTS_RETURN_IF_ERROR(StatusOfCall(create, make(device_.handle(), &info, nullptr, object)));
  auto* const end = device_.Get<void(vk::Pointer, vk::Handle, const void*)>(destroy);
  destroy_.emplace_back(
      [end, made = *object, device = device_.handle()] { end(device, made, nullptr); });
  return absl::OkStatus();
}

Status GraphOnDevice::Allocate(uint64_t size, uint32_t type, vk::Handle* memory) {
  vk::MemoryAllocateInfo info;
  info.size = size;
  info.memory_type = type;
  return Make("vkAllocateMemory", "vkFreeMemory", info, memory);
}

Status GraphOnDevice::Map(vk::Handle memory, uint64_t size, char** bytes) const {
  auto* const map =
      device_.Get<vk::Result(vk::Pointer, vk::Handle, uint64_t, uint64_t, uint32_t, void**)>(
          "vkMapMemory");
  void* mapped = nullptr;
  CTS_RETURN_IF_ERROR(
      StatusOfCall("vkMapMemory", map(device_.handle(), memory, 0, vk::kWholeSize, 0, &mapped)));
  std::memset(mapped, options_.poison, size);
  *bytes = static_cast<char*>(mapped);
  return absl::OkStatus();
}

// ---- Tensors ----

Status GraphOnDevice::CheckOptions() const {
  if (options_.tiling == Tiling::kStrided && !device_.offer().strides) {
    return Unsupported("the device has no tensorNonPacked");
  }
  if (options_.tiling == Tiling::kOptimal && !device_.copies_tensors()) {
    return Unsupported("the queue family ", device_.family(), " copies no tensors");
  }
  return absl::OkStatus();
}

Status GraphOnDevice::CheckLimits(const SpirvPort& port) const {
  const DeviceOffer& offer = device_.offer();
  const int64_t elements = ElementCount(port.shape);
  const int64_t longest = *std::max_element(port.shape.begin(), port.shape.end());
  const auto refuse = [&](const char* what, uint64_t found, uint64_t limit) {
    return Unsupported("tensor ", port.tensor, " has ", found, " ", what, ", above the device's ",
                       limit);
  };
  if (static_cast<int64_t>(port.shape.size()) > offer.max_rank) {
    return refuse("dimensions", port.shape.size(), static_cast<uint64_t>(offer.max_rank));
  }
  if (elements > offer.max_elements) {
    return refuse("elements", static_cast<uint64_t>(elements),
                  static_cast<uint64_t>(offer.max_elements));
  }
  if (longest > offer.max_dimension) {
    return refuse("elements in a dimension", static_cast<uint64_t>(longest),
                  static_cast<uint64_t>(offer.max_dimension));
  }
  const bool strided = options_.tiling == Tiling::kStrided;
  const int64_t outermost = StridesOf(port, strided ? 1 : 0)[0];
  const uint64_t bytes = static_cast<uint64_t>(outermost * port.shape[0]);
  if (bytes > offer.max_bytes) return refuse("bytes", bytes, offer.max_bytes);
  if (strided && outermost > offer.max_stride) {
    return refuse("bytes of stride", static_cast<uint64_t>(outermost),
                  static_cast<uint64_t>(offer.max_stride));
  }
  const bool optimal = options_.tiling == Tiling::kOptimal;
  if (!Contains(optimal ? offer.optimal_types : offer.types, port.dtype)) {
    return Unsupported("the device has no ", optimal ? "OPTIMAL " : "", "tensors of ",
                       Name(port.dtype), " for graphs");
  }
  return absl::OkStatus();
}

Status GraphOnDevice::MakeTensors(Bench& bench) {
  for (const auto* ports : {&module_.inputs, &module_.outputs}) {
    for (const SpirvPort& port : *ports) {
      CTS_RETURN_IF_ERROR(CheckLimits(port));
      const bool strided = options_.tiling == Tiling::kStrided;
      bench.tensors.push_back({.port = &port, .strides = StridesOf(port, strided ? 1 : 0)});
    }
  }
  for (size_t i = 0; i < bench.tensors.size(); ++i) {
    CTS_RETURN_IF_ERROR(MakePort(bench.tensors[i], i < module_.inputs.size()));
  }
  return absl::OkStatus();
}

vk::TensorDescription GraphOnDevice::Describe(const PortTensor& port) const {
  vk::TensorDescription description;
  if (options_.tiling == Tiling::kOptimal) description.tiling = vk::kTilingOptimal;
  if (options_.tiling == Tiling::kStrided) description.strides = port.strides.data();
  description.format = *VulkanFormat(port.port->dtype);
  description.dimension_count = static_cast<uint32_t>(port.port->shape.size());
  description.dimensions = port.port->shape.data();
  // Outputs are filled by a copy as well: what a graph does not write shows.
  if (options_.tiling == Tiling::kOptimal) {
    description.usage |= vk::kUsageTransferSource | vk::kUsageTransferTarget;
  }
  return description;
}

Status GraphOnDevice::MakePort(PortTensor& port, bool is_input) {
  const vk::TensorDescription description = Describe(port);
  const bool optimal = options_.tiling == Tiling::kOptimal;
  CTS_RETURN_IF_ERROR(MakeTensor(description, &port.tensor, optimal ? nullptr : &port.bytes));
  if (optimal) {
    vk::TensorDescription linear = description;
    linear.tiling = vk::kTilingLinear;
    linear.usage = vk::kUsageTransferSource | (is_input ? 0 : vk::kUsageTransferTarget);
    CTS_RETURN_IF_ERROR(MakeTensor(linear, &port.copied, &port.bytes));
  }
  vk::TensorViewCreateInfo view;
  view.tensor = port.tensor;
  view.format = description.format;
  return Make("vkCreateTensorViewARM", "vkDestroyTensorViewARM", view, &port.view);
}

Status GraphOnDevice::MakeTensor(const vk::TensorDescription& description, vk::Handle* tensor,
                                 char** bytes) {
  vk::TensorCreateInfo info;
  info.description = &description;
  CTS_RETURN_IF_ERROR(Make("vkCreateTensorARM", "vkDestroyTensorARM", info, tensor));
  vk::TensorMemoryRequirementsInfo asked;
  asked.tensor = *tensor;
  vk::MemoryRequirements2 needed;
  device_.Get<void(vk::Pointer, const vk::TensorMemoryRequirementsInfo*, vk::MemoryRequirements2*)>(
      "vkGetTensorMemoryRequirementsARM")(device_.handle(), &asked, &needed);
  const std::optional<uint32_t> type = bytes != nullptr ? device_.HostMemory(needed.memory_types)
                                                        : device_.AnyMemory(needed.memory_types);
  if (!type) {
    return Unsupported("the device has no memory for tensors",
                       bytes != nullptr ? " that the host sees" : "");
  }
  vk::BindTensorMemoryInfo bind;
  bind.tensor = *tensor;
  CTS_RETURN_IF_ERROR(Allocate(needed.size, *type, &bind.memory));
  if (bytes != nullptr) CTS_RETURN_IF_ERROR(Map(bind.memory, needed.size, bytes));
  auto* const bind_memory =
      device_.Get<vk::Result(vk::Pointer, uint32_t, const vk::BindTensorMemoryInfo*)>(
          "vkBindTensorMemoryARM");
  return StatusOfCall("vkBindTensorMemoryARM", bind_memory(device_.handle(), 1, &bind));
}

// ---- The pipeline ----

Status GraphOnDevice::MakeLayout() {
  std::vector<std::vector<vk::DescriptorSetLayoutBinding>> sets;
  for (const PortTensor& tensor : benches_[0].tensors) {
    const SpirvPort& port = *tensor.port;
    if (sets.size() <= port.set) sets.resize(port.set + 1);
    sets[port.set].push_back({.binding = port.binding});
  }
  for (const std::vector<vk::DescriptorSetLayoutBinding>& bindings : sets) {
    vk::DescriptorSetLayoutCreateInfo set;
    set.count = static_cast<uint32_t>(bindings.size());
    set.bindings = bindings.data();
    CTS_RETURN_IF_ERROR(Make("vkCreateDescriptorSetLayout", "vkDestroyDescriptorSetLayout", set,
                             &set_layouts_.emplace_back()));
  }
  vk::PipelineLayoutCreateInfo info;
  info.set_count = static_cast<uint32_t>(set_layouts_.size());
  info.sets = set_layouts_.data();
  return Make("vkCreatePipelineLayout", "vkDestroyPipelineLayout", info, &layout_);
}

Status GraphOnDevice::MakePipeline() {
  std::vector<uint32_t> words(module_.bytes.size() / 4);
  std::memcpy(words.data(), module_.bytes.data(), module_.bytes.size());
  vk::ShaderModuleCreateInfo shader;
  shader.size = module_.bytes.size();
  shader.code = words.data();
  CTS_RETURN_IF_ERROR(Make("vkCreateShaderModule", "vkDestroyShaderModule", shader, &shader_));

  const std::vector<PortTensor>& tensors = benches_[0].tensors;
  std::vector<vk::TensorDescription> descriptions(tensors.size() + module_.constants.size());
  std::vector<vk::DataGraphPipelineResourceInfo> resources(tensors.size());
  for (uint32_t i = 0; i < resources.size(); ++i) {
    descriptions[i] = Describe(tensors[i]);
    resources[i].next = &descriptions[i];
    resources[i].set = tensors[i].port->set;
    resources[i].binding = tensors[i].port->binding;
  }
  std::vector<vk::DataGraphPipelineConstant> constants;
  for (const auto& [id, values] : module_.constants) {
    vk::TensorDescription& description = descriptions[tensors.size() + constants.size()];
    const std::optional<uint32_t> format = VulkanFormat(values.dtype());
    if (!format) return Unsupported("Vulkan has no tensors of ", Name(values.dtype()));
    description.format = *format;
    description.dimension_count = static_cast<uint32_t>(values.shape().size());
    description.dimensions = values.shape().data();
    vk::DataGraphPipelineConstant constant;
    constant.next = &description;
    constant.id = id;
    constant.data = values.bytes().data();
    constants.push_back(constant);
  }
  const std::string entry_point(kSpirvEntryPoint);
  vk::DataGraphPipelineShaderModuleCreateInfo code;
  code.module = shader_;
  code.entry_point = entry_point.c_str();
  code.constant_count = static_cast<uint32_t>(constants.size());
  code.constants = constants.data();
  vk::ProcessingEngineCreateInfo engine;
  engine.engines = &device_.engine();
  if (device_.engine().is_foreign != 0) code.next = &engine;
  vk::DataGraphPipelineCreateInfo info;
  info.next = &code;
  info.layout = layout_;
  info.resource_count = static_cast<uint32_t>(resources.size());
  info.resources = resources.data();
  CTS_RETURN_IF_ERROR(options_.cached ? MakeCachedPipeline(info) : CreatePipeline(info, 0));
  ReadCreationLog();
  return absl::OkStatus();
}

Status GraphOnDevice::CreatePipeline(const vk::DataGraphPipelineCreateInfo& info,
                                     vk::Handle cache) {
  auto* const create =
      device_.Get<vk::Result(vk::Pointer, vk::Handle, vk::Handle, uint32_t,
                             const vk::DataGraphPipelineCreateInfo*, const void*, vk::Handle*)>(
          "vkCreateDataGraphPipelinesARM");
  if (create == nullptr) return Unsupported("the device has no vkCreateDataGraphPipelinesARM");
  const vk::Result made = create(device_.handle(), 0, cache, 1, &info, nullptr, &pipeline_);
  Status status = StatusOfCall("vkCreateDataGraphPipelinesARM", made);
  if (!status.ok()) {
    // A device may hand out a pipeline that tells what went wrong.
    if (pipeline_ != 0 && !absl::IsAborted(status)) ReadCreationLog();
    return creation_log_.empty() ? status
                                 : Annotate(status, StrCat("CREATION_LOG \"", creation_log_, "\""));
  }
  auto* const end = device_.Get<void(vk::Pointer, vk::Handle, const void*)>("vkDestroyPipeline");
  destroy_.emplace_back([end, made_pipeline = pipeline_, device = device_.handle()] {
    end(device, made_pipeline, nullptr);
  });
  return absl::OkStatus();
}

// The bytes of the cache go through the host, as a program that starts again would have them.
Status GraphOnDevice::MakeCachedPipeline(const vk::DataGraphPipelineCreateInfo& info) {
  vk::PipelineCacheCreateInfo empty;
  vk::Handle first = 0, second = 0;
  CTS_RETURN_IF_ERROR(Make("vkCreatePipelineCache", "vkDestroyPipelineCache", empty, &first));
  CTS_RETURN_IF_ERROR(CreatePipeline(info, first));
  auto* const get =
      device_.Get<vk::Result(vk::Pointer, vk::Handle, size_t*, void*)>("vkGetPipelineCacheData");
  size_t size = 0;
  CTS_RETURN_IF_ERROR(
      StatusOfCall("vkGetPipelineCacheData", get(device_.handle(), first, &size, nullptr)));
  std::vector<char> data(size);
  CTS_RETURN_IF_ERROR(
      StatusOfCall("vkGetPipelineCacheData", get(device_.handle(), first, &size, data.data())));
  vk::PipelineCacheCreateInfo filled;
  filled.size = size;
  filled.data = data.data();
  CTS_RETURN_IF_ERROR(Make("vkCreatePipelineCache", "vkDestroyPipelineCache", filled, &second));
  return CreatePipeline(info, second);
}

void GraphOnDevice::ReadCreationLog() {
  auto* const ask = device_.Get<vk::Result(vk::Pointer, const vk::DataGraphPipelineInfo*, uint32_t,
                                           vk::PipelinePropertyQueryResult*)>(
      "vkGetDataGraphPipelinePropertiesARM");
  if (ask == nullptr) return;
  vk::DataGraphPipelineInfo info;
  info.pipeline = pipeline_;
  vk::PipelinePropertyQueryResult log;
  if (ask(device_.handle(), &info, 1, &log) != vk::kSuccess || log.size == 0) return;
  std::string text(log.size, '\0');
  log.data = text.data();
  if (ask(device_.handle(), &info, 1, &log) != vk::kSuccess || log.is_text == 0) return;
  text.resize(strnlen(text.data(), std::min(log.size, text.size())));
  if (text.size() > kMaxLog) text = text.substr(0, kMaxLog) + " ...";
  creation_log_ = std::move(text);
}

// ---- Sessions ----

Status GraphOnDevice::MakeSession(Bench& bench) {
  vk::DataGraphPipelineSessionCreateInfo info;
  info.pipeline = pipeline_;
  CTS_RETURN_IF_ERROR(Make("vkCreateDataGraphPipelineSessionARM",
                           "vkDestroyDataGraphPipelineSessionARM", info, &bench.session));
  vk::SessionBindPointRequirementsInfo asked;
  asked.session = bench.session;
  auto* const ask = device_.Get<vk::Result(vk::Pointer, const vk::SessionBindPointRequirementsInfo*,
                                           uint32_t*, vk::SessionBindPointRequirement*)>(
      "vkGetDataGraphPipelineSessionBindPointRequirementsARM");
  uint32_t count = 0;
  CTS_RETURN_IF_ERROR(StatusOfCall("vkGetDataGraphPipelineSessionBindPointRequirementsARM",
                                   ask(device_.handle(), &asked, &count, nullptr)));
  std::vector<vk::SessionBindPointRequirement> points(count);
  if (count > 0) ask(device_.handle(), &asked, &count, points.data());
  for (const vk::SessionBindPointRequirement& point : points) {
    for (uint32_t object = 0; object < point.object_count; ++object) {
      CTS_RETURN_IF_ERROR(BindSessionMemory(bench, point, object));
    }
  }
  return absl::OkStatus();
}

Status GraphOnDevice::BindSessionMemory(const Bench& bench,
                                        const vk::SessionBindPointRequirement& point,
                                        uint32_t object) {
  vk::SessionMemoryRequirementsInfo asked;
  asked.session = bench.session;
  asked.bind_point = point.bind_point;
  asked.object = object;
  vk::MemoryRequirements2 needed;
  device_
      .Get<void(vk::Pointer, const vk::SessionMemoryRequirementsInfo*, vk::MemoryRequirements2*)>(
          "vkGetDataGraphPipelineSessionMemoryRequirementsARM")(device_.handle(), &asked, &needed);
  if (needed.size == 0) return absl::OkStatus();
  const std::optional<uint32_t> host = device_.HostMemory(needed.memory_types);
  const std::optional<uint32_t> type = host ? host : device_.AnyMemory(needed.memory_types);
  if (!type) return Unsupported("the device has no memory for a session");
  vk::BindSessionMemoryInfo bind;
  bind.session = bench.session;
  bind.bind_point = point.bind_point;
  bind.object = object;
  bind.offset = options_.session_offset * std::max<uint64_t>(needed.alignment, 1);
  CTS_RETURN_IF_ERROR(Allocate(bind.offset + needed.size, *type, &bind.memory));
  char* bytes = nullptr;
  if (host) CTS_RETURN_IF_ERROR(Map(bind.memory, bind.offset + needed.size, &bytes));
  auto* const bind_memory =
      device_.Get<vk::Result(vk::Pointer, uint32_t, const vk::BindSessionMemoryInfo*)>(
          "vkBindDataGraphPipelineSessionMemoryARM");
  return StatusOfCall("vkBindDataGraphPipelineSessionMemoryARM",
                      bind_memory(device_.handle(), 1, &bind));
}

Status GraphOnDevice::MakeDescriptorPool() {
  vk::DescriptorPoolSize size;
  size.count = static_cast<uint32_t>(benches_[0].tensors.size() * benches_.size());
  vk::DescriptorPoolCreateInfo info;
  info.max_sets = static_cast<uint32_t>(set_layouts_.size() * benches_.size());
  info.sizes = &size;
  vk::ProcessingEngineCreateInfo engine;
  engine.engines = &device_.engine();
  if (device_.engine().is_foreign != 0) info.next = &engine;
  return Make("vkCreateDescriptorPool", "vkDestroyDescriptorPool", info, &pool_);
}

Status GraphOnDevice::MakeDescriptors(Bench& bench) {
  vk::DescriptorSetAllocateInfo allocate;
  allocate.pool = pool_;
  allocate.count = static_cast<uint32_t>(set_layouts_.size());
  allocate.layouts = set_layouts_.data();
  bench.sets.resize(set_layouts_.size());
  auto* const make =
      device_.Get<vk::Result(vk::Pointer, const vk::DescriptorSetAllocateInfo*, vk::Handle*)>(
          "vkAllocateDescriptorSets");
  CTS_RETURN_IF_ERROR(StatusOfCall("vkAllocateDescriptorSets",
                                   make(device_.handle(), &allocate, bench.sets.data())));
  auto* const update =
      device_
          .Get<void(vk::Pointer, uint32_t, const vk::WriteDescriptorSet*, uint32_t, const void*)>(
              "vkUpdateDescriptorSets");
  for (const PortTensor& port : bench.tensors) {
    vk::WriteDescriptorSetTensor tensor;
    tensor.views = &port.view;
    vk::WriteDescriptorSet write;
    write.next = &tensor;
    write.set = bench.sets[port.port->set];
    write.binding = port.port->binding;
    update(device_.handle(), 1, &write, 0, nullptr);
  }
  return absl::OkStatus();
}

// ---- Commands ----

Status GraphOnDevice::MakeCommands() {
  vk::CommandPoolCreateInfo pool;
  pool.family = device_.family();
  vk::ProcessingEngineCreateInfo engine;
  engine.engines = &device_.engine();
  if (device_.engine().is_foreign != 0) pool.next = &engine;
  CTS_RETURN_IF_ERROR(Make("vkCreateCommandPool", "vkDestroyCommandPool", pool, &command_pool_));
  vk::CommandBufferAllocateInfo allocate;
  allocate.pool = command_pool_;
  using Allocation = vk::Result(vk::Pointer, const vk::CommandBufferAllocateInfo*, vk::Pointer*);
  CTS_RETURN_IF_ERROR(
      StatusOfCall("vkAllocateCommandBuffers", device_.Get<Allocation>("vkAllocateCommandBuffers")(
                                                   device_.handle(), &allocate, &commands_)));
  vk::CommandBufferBeginInfo begin;
  using Begin = vk::Result(vk::Pointer, const vk::CommandBufferBeginInfo*);
  CTS_RETURN_IF_ERROR(StatusOfCall("vkBeginCommandBuffer",
                                   device_.Get<Begin>("vkBeginCommandBuffer")(commands_, &begin)));
  CTS_RETURN_IF_ERROR(Record());
  CTS_RETURN_IF_ERROR(StatusOfCall(
      "vkEndCommandBuffer", device_.Get<vk::Result(vk::Pointer)>("vkEndCommandBuffer")(commands_)));
  return Make("vkCreateFence", "vkDestroyFence", vk::FenceCreateInfo(), &fence_);
}

Status GraphOnDevice::RecordBarrier(uint64_t from_stage, uint64_t from_access, uint64_t to_stage,
                                    uint64_t to_access) {
  vk::MemoryBarrier2 barrier;
  barrier.from_stage = from_stage;
  barrier.from_access = from_access;
  barrier.to_stage = to_stage;
  barrier.to_access = to_access;
  vk::DependencyInfo dependency;
  dependency.memory_count = 1;
  dependency.memory = &barrier;
  auto* const record =
      device_.Get<void(vk::Pointer, const vk::DependencyInfo*)>("vkCmdPipelineBarrier2");
  if (record == nullptr) return Unsupported("the device has no vkCmdPipelineBarrier2");
  record(commands_, &dependency);
  return absl::OkStatus();
}

// Into the tensors of the graph, all of them, or out of its outputs.
Status GraphOnDevice::RecordCopies(bool in) {
  auto* const copy =
      device_.Get<void(vk::Pointer, const vk::CopyTensorInfo*)>("vkCmdCopyTensorARM");
  if (copy == nullptr) return Unsupported("the device has no vkCmdCopyTensorARM");
  for (const Bench& bench : benches_) {
    for (size_t i = in ? 0 : module_.inputs.size(); i < bench.tensors.size(); ++i) {
      const PortTensor& port = bench.tensors[i];
      vk::TensorCopy whole;
      whole.dimension_count = static_cast<uint32_t>(port.port->shape.size());
      vk::CopyTensorInfo info;
      info.from = in ? port.copied : port.tensor;
      info.to = in ? port.tensor : port.copied;
      info.regions = &whole;
      copy(commands_, &info);
    }
  }
  return absl::OkStatus();
}

Status GraphOnDevice::Record() {
  constexpr uint64_t kGraphAccess = vk::kAccessDataGraphRead | vk::kAccessDataGraphWrite;
  const bool optimal = options_.tiling == Tiling::kOptimal;
  if (optimal) {
    CTS_RETURN_IF_ERROR(RecordCopies(/*in=*/true));
    CTS_RETURN_IF_ERROR(RecordBarrier(vk::kStageTransfer, vk::kAccessTransferWrite,
                                      vk::kStageDataGraph, kGraphAccess));
  }
  device_.Get<void(vk::Pointer, uint32_t, vk::Handle)>("vkCmdBindPipeline")(
      commands_, vk::kBindPointDataGraph, pipeline_);
  auto* const bind =
      device_.Get<void(vk::Pointer, uint32_t, vk::Handle, uint32_t, uint32_t, const vk::Handle*,
                       uint32_t, const uint32_t*)>("vkCmdBindDescriptorSets");
  auto* const dispatch =
      device_.Get<void(vk::Pointer, vk::Handle, const void*)>("vkCmdDispatchDataGraphARM");
  for (int i = 0; i < options_.dispatches; ++i) {
    if (i > 0) {
      CTS_RETURN_IF_ERROR(RecordBarrier(vk::kStageDataGraph, vk::kAccessDataGraphWrite,
                                        vk::kStageDataGraph, kGraphAccess));
    }
    for (const Bench& bench : benches_) {
      bind(commands_, vk::kBindPointDataGraph, layout_, 0, static_cast<uint32_t>(bench.sets.size()),
           bench.sets.data(), 0, nullptr);
      dispatch(commands_, bench.session, nullptr);
    }
  }
  if (optimal) {
    CTS_RETURN_IF_ERROR(RecordBarrier(vk::kStageDataGraph, vk::kAccessDataGraphWrite,
                                      vk::kStageTransfer, vk::kAccessTransferRead));
    CTS_RETURN_IF_ERROR(RecordCopies(/*in=*/false));
  }
  return RecordBarrier(optimal ? vk::kStageTransfer : vk::kStageDataGraph,
                       optimal ? vk::kAccessTransferWrite : vk::kAccessDataGraphWrite,
                       vk::kStageHost, vk::kAccessHostRead);
}

Status GraphOnDevice::Submit() {
  vk::SubmitInfo submit;
  submit.command_buffer_count = 1;
  submit.command_buffers = &commands_;
  using Submission = vk::Result(vk::Pointer, uint32_t, const vk::SubmitInfo*, vk::Handle);
  CTS_RETURN_IF_ERROR(StatusOfCall("vkQueueSubmit", device_.Get<Submission>("vkQueueSubmit")(
                                                        device_.queue(), 1, &submit, fence_)));
  using Wait = vk::Result(vk::Pointer, uint32_t, const vk::Handle*, uint32_t, uint64_t);
  CTS_RETURN_IF_ERROR(StatusOfCall(
      "vkWaitForFences",
      device_.Get<Wait>("vkWaitForFences")(device_.handle(), 1, &fence_, 1, UINT64_MAX)));
  using Reset = vk::Result(vk::Pointer, uint32_t, const vk::Handle*);
  return StatusOfCall("vkResetFences",
                      device_.Get<Reset>("vkResetFences")(device_.handle(), 1, &fence_));
}

StatusOr<std::vector<Tensor>> GraphOnDevice::Run(const std::vector<const Tensor*>& inputs) {
  for (const Bench& bench : benches_) {
    for (size_t i = 0; i < bench.tensors.size(); ++i) {
      const PortTensor& tensor = bench.tensors[i];
      const auto size =
          static_cast<size_t>(ElementCount(tensor.port->shape) * StorageBytes(tensor.port->dtype));
      if (i < inputs.size() && inputs[i]->bytes().size() != size) {
        return InvalidArgument("input ", tensor.port->tensor, " has ", inputs[i]->bytes().size(),
                               " bytes, expected ", size);
      }
      ForEachRow(tensor.port->shape, tensor.strides,
                 [&](int64_t packed, int64_t offset, size_t bytes) {
                   if (i < inputs.size()) {
                     std::memcpy(tensor.bytes + offset, inputs[i]->bytes().data() + packed, bytes);
                   } else {
                     std::memset(tensor.bytes + offset, options_.poison, bytes);
                   }
                 });
    }
  }
  CTS_RETURN_IF_ERROR(Submit());
  std::vector<Tensor> outputs;
  for (const Bench& bench : benches_) {
    for (size_t i = inputs.size(); i < bench.tensors.size(); ++i) {
      const PortTensor& tensor = bench.tensors[i];
      Tensor output(tensor.port->dtype, tensor.port->shape);
      ForEachRow(tensor.port->shape, tensor.strides,
                 [&](int64_t packed, int64_t offset, size_t bytes) {
                   std::memcpy(output.bytes().data() + packed, tensor.bytes + offset, bytes);
                 });
      if (&bench == benches_.data()) {
        outputs.push_back(std::move(output));
        continue;
      }
      const std::string difference =
          DifferenceOf(tensor.port->tensor, outputs[i - inputs.size()], output);
      if (!difference.empty()) {
        return Status(absl::StatusCode::kFailedPrecondition,
                      StrCat("session ", &bench - benches_.data() + 1, ": ", difference));
      }
    }
  }
  return outputs;
}

std::string DifferenceOf(const std::string& name, const Tensor& expected, const Tensor& found) {
  const std::vector<uint8_t>& a = expected.bytes();
  const std::vector<uint8_t>& b = found.bytes();
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at == a.end() && other == b.end()) return "";
  const int64_t element = (at - a.begin()) / StorageBytes(expected.dtype());
  const auto hex = [&](const std::vector<uint8_t>& bytes) {
    std::string text = "0x";
    for (int64_t i = (element + 1) * StorageBytes(expected.dtype());
         i-- > element * StorageBytes(expected.dtype());) {
      StrAppend(&text, absl::Hex(bytes[static_cast<size_t>(i)], absl::kZeroPad2));
    }
    return text;
  };
  return StrCat("element ", element, " of ", name, " is ", hex(b), ", expected the same bytes, ",
                hex(a));
}

}  // namespace cts
