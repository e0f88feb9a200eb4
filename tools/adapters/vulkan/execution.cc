#include "tools/adapters/vulkan/execution.h"

#include <algorithm>
#include <cstring>
#include <utility>

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

// A byte that is no zero, no one and, repeated, a number that nobody expects.
constexpr int kPoison = 0xa5;

}  // namespace

StatusOr<std::unique_ptr<GraphOnDevice>> GraphOnDevice::Prepare(const Device& device,
                                                                const SpirvModule& module,
                                                                const ExecutionOptions& options) {
  std::unique_ptr<GraphOnDevice> graph(new GraphOnDevice(device, module));
  CTS_RETURN_IF_ERROR(graph->MakeTensors());
  CTS_RETURN_IF_ERROR(graph->MakeLayout());
  CTS_RETURN_IF_ERROR(graph->MakePipeline());
  CTS_RETURN_IF_ERROR(graph->MakeSession(options));
  CTS_RETURN_IF_ERROR(graph->MakeDescriptors());
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

Status GraphOnDevice::Map(vk::Handle memory, int value, uint64_t size, void** bytes) const {
  auto* const map =
      device_.Get<vk::Result(vk::Pointer, vk::Handle, uint64_t, uint64_t, uint32_t, void**)>(
          "vkMapMemory");
  CTS_RETURN_IF_ERROR(
      StatusOfCall("vkMapMemory", map(device_.handle(), memory, 0, vk::kWholeSize, 0, bytes)));
  std::memset(*bytes, value, size);
  return absl::OkStatus();
}

// ---- Tensors ----

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
  const uint64_t bytes = static_cast<uint64_t>(elements * StorageBytes(port.dtype));
  if (bytes > offer.max_bytes) return refuse("bytes", bytes, offer.max_bytes);
  if (std::find(offer.types.begin(), offer.types.end(), port.dtype) == offer.types.end()) {
    return Unsupported("the device has no tensors of ", Name(port.dtype), " for graphs");
  }
  return absl::OkStatus();
}

Status GraphOnDevice::MakeTensors() {
  for (const auto* ports : {&module_.inputs, &module_.outputs}) {
    for (const SpirvPort& port : *ports) {
      CTS_RETURN_IF_ERROR(CheckLimits(port));
      tensors_.push_back({.port = &port});
    }
  }
  for (PortTensor& tensor : tensors_) CTS_RETURN_IF_ERROR(MakeTensor(tensor));
  return absl::OkStatus();
}

vk::TensorDescription GraphOnDevice::Describe(const SpirvPort& port,
                                              const int64_t* dimensions) const {
  vk::TensorDescription description;
  description.format = *VulkanFormat(port.dtype);
  description.dimension_count = static_cast<uint32_t>(port.shape.size());
  description.dimensions = dimensions;
  return description;
}

Status GraphOnDevice::MakeTensor(PortTensor& tensor) {
  const vk::TensorDescription description = Describe(*tensor.port, tensor.port->shape.data());
  vk::TensorCreateInfo info;
  info.description = &description;
  CTS_RETURN_IF_ERROR(Make("vkCreateTensorARM", "vkDestroyTensorARM", info, &tensor.tensor));
  vk::TensorMemoryRequirementsInfo asked;
  asked.tensor = tensor.tensor;
  vk::MemoryRequirements2 needed;
  device_.Get<void(vk::Pointer, const vk::TensorMemoryRequirementsInfo*, vk::MemoryRequirements2*)>(
      "vkGetTensorMemoryRequirementsARM")(device_.handle(), &asked, &needed);
  const std::optional<uint32_t> type = device_.HostMemory(needed.memory_types);
  if (!type) return Unsupported("the device has no memory for tensors that the host sees");
  CTS_RETURN_IF_ERROR(Allocate(needed.size, *type, &tensor.memory));
  CTS_RETURN_IF_ERROR(Map(tensor.memory, kPoison, needed.size, &tensor.bytes));
  vk::BindTensorMemoryInfo bind;
  bind.tensor = tensor.tensor;
  bind.memory = tensor.memory;
  auto* const bind_memory =
      device_.Get<vk::Result(vk::Pointer, uint32_t, const vk::BindTensorMemoryInfo*)>(
          "vkBindTensorMemoryARM");
  CTS_RETURN_IF_ERROR(
      StatusOfCall("vkBindTensorMemoryARM", bind_memory(device_.handle(), 1, &bind)));
  vk::TensorViewCreateInfo view;
  view.tensor = tensor.tensor;
  view.format = description.format;
  return Make("vkCreateTensorViewARM", "vkDestroyTensorViewARM", view, &tensor.view);
}

// ---- The pipeline ----

Status GraphOnDevice::MakeLayout() {
  std::vector<vk::DescriptorSetLayoutBinding> bindings(tensors_.size());
  for (uint32_t i = 0; i < bindings.size(); ++i) bindings[i].binding = i;
  vk::DescriptorSetLayoutCreateInfo set;
  set.count = static_cast<uint32_t>(bindings.size());
  set.bindings = bindings.data();
  CTS_RETURN_IF_ERROR(
      Make("vkCreateDescriptorSetLayout", "vkDestroyDescriptorSetLayout", set, &set_layout_));
  vk::PipelineLayoutCreateInfo info;
  info.set_count = 1;
  info.sets = &set_layout_;
  return Make("vkCreatePipelineLayout", "vkDestroyPipelineLayout", info, &layout_);
}

Status GraphOnDevice::MakePipeline() {
  std::vector<uint32_t> words(module_.bytes.size() / 4);
  std::memcpy(words.data(), module_.bytes.data(), module_.bytes.size());
  vk::ShaderModuleCreateInfo shader;
  shader.size = module_.bytes.size();
  shader.code = words.data();
  CTS_RETURN_IF_ERROR(Make("vkCreateShaderModule", "vkDestroyShaderModule", shader, &shader_));

  std::vector<vk::TensorDescription> descriptions(tensors_.size() + module_.constants.size());
  std::vector<vk::DataGraphPipelineResourceInfo> resources(tensors_.size());
  for (uint32_t i = 0; i < resources.size(); ++i) {
    descriptions[i] = Describe(*tensors_[i].port, tensors_[i].port->shape.data());
    resources[i].next = &descriptions[i];
    resources[i].binding = i;
  }
  std::vector<vk::DataGraphPipelineConstant> constants;
  for (const auto& [id, values] : module_.constants) {
    vk::TensorDescription& description = descriptions[tensors_.size() + constants.size()];
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
  auto* const create =
      device_.Get<vk::Result(vk::Pointer, vk::Handle, vk::Handle, uint32_t,
                             const vk::DataGraphPipelineCreateInfo*, const void*, vk::Handle*)>(
          "vkCreateDataGraphPipelinesARM");
  if (create == nullptr) return Unsupported("the device has no vkCreateDataGraphPipelinesARM");
  CTS_RETURN_IF_ERROR(StatusOfCall("vkCreateDataGraphPipelinesARM",
                                   create(device_.handle(), 0, 0, 1, &info, nullptr, &pipeline_)));
  auto* const end = device_.Get<void(vk::Pointer, vk::Handle, const void*)>("vkDestroyPipeline");
  destroy_.emplace_back([this, end] { end(device_.handle(), pipeline_, nullptr); });
  return absl::OkStatus();
}

Status GraphOnDevice::MakeSession(const ExecutionOptions& options) {
  vk::DataGraphPipelineSessionCreateInfo info;
  info.pipeline = pipeline_;
  CTS_RETURN_IF_ERROR(Make("vkCreateDataGraphPipelineSessionARM",
                           "vkDestroyDataGraphPipelineSessionARM", info, &session_));
  vk::SessionBindPointRequirementsInfo asked;
  asked.session = session_;
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
      CTS_RETURN_IF_ERROR(BindSessionMemory(point, object, options.session_offset));
    }
  }
  return absl::OkStatus();
}

Status GraphOnDevice::BindSessionMemory(const vk::SessionBindPointRequirement& point,
                                        uint32_t object, uint32_t offset) {
  vk::SessionMemoryRequirementsInfo asked;
  asked.session = session_;
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
  bind.session = session_;
  bind.bind_point = point.bind_point;
  bind.object = object;
  bind.offset = offset * std::max<uint64_t>(needed.alignment, 1);
  CTS_RETURN_IF_ERROR(Allocate(bind.offset + needed.size, *type, &bind.memory));
  void* bytes = nullptr;
  if (host) CTS_RETURN_IF_ERROR(Map(bind.memory, kPoison, bind.offset + needed.size, &bytes));
  auto* const bind_memory =
      device_.Get<vk::Result(vk::Pointer, uint32_t, const vk::BindSessionMemoryInfo*)>(
          "vkBindDataGraphPipelineSessionMemoryARM");
  return StatusOfCall("vkBindDataGraphPipelineSessionMemoryARM",
                      bind_memory(device_.handle(), 1, &bind));
}

// ---- Commands ----

Status GraphOnDevice::MakeDescriptors() {
  vk::DescriptorPoolSize size;
  size.count = static_cast<uint32_t>(tensors_.size());
  vk::DescriptorPoolCreateInfo info;
  info.sizes = &size;
  vk::ProcessingEngineCreateInfo engine;
  engine.engines = &device_.engine();
  if (device_.engine().is_foreign != 0) info.next = &engine;
  CTS_RETURN_IF_ERROR(Make("vkCreateDescriptorPool", "vkDestroyDescriptorPool", info, &pool_));
  vk::DescriptorSetAllocateInfo allocate;
  allocate.pool = pool_;
  allocate.layouts = &set_layout_;
  auto* const make =
      device_.Get<vk::Result(vk::Pointer, const vk::DescriptorSetAllocateInfo*, vk::Handle*)>(
          "vkAllocateDescriptorSets");
  CTS_RETURN_IF_ERROR(
      StatusOfCall("vkAllocateDescriptorSets", make(device_.handle(), &allocate, &set_)));
  auto* const update =
      device_
          .Get<void(vk::Pointer, uint32_t, const vk::WriteDescriptorSet*, uint32_t, const void*)>(
              "vkUpdateDescriptorSets");
  for (uint32_t i = 0; i < tensors_.size(); ++i) {
    vk::WriteDescriptorSetTensor tensor;
    tensor.views = &tensors_[i].view;
    vk::WriteDescriptorSet write;
    write.next = &tensor;
    write.set = set_;
    write.binding = i;
    update(device_.handle(), 1, &write, 0, nullptr);
  }
  return absl::OkStatus();
}

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
  device_.Get<void(vk::Pointer, uint32_t, vk::Handle)>("vkCmdBindPipeline")(
      commands_, vk::kBindPointDataGraph, pipeline_);
  device_.Get<void(vk::Pointer, uint32_t, vk::Handle, uint32_t, uint32_t, const vk::Handle*,
                   uint32_t, const uint32_t*)>("vkCmdBindDescriptorSets")(
      commands_, vk::kBindPointDataGraph, layout_, 0, 1, &set_, 0, nullptr);
  device_.Get<void(vk::Pointer, vk::Handle, const void*)>("vkCmdDispatchDataGraphARM")(
      commands_, session_, nullptr);
  vk::MemoryBarrier2 barrier;
  barrier.from_stage = vk::kStageDataGraph;
  barrier.from_access = vk::kAccessDataGraphWrite;
  barrier.to_stage = vk::kStageHost;
  barrier.to_access = vk::kAccessHostRead;
  vk::DependencyInfo dependency;
  dependency.memory_count = 1;
  dependency.memory = &barrier;
  using Barrier = void(vk::Pointer, const vk::DependencyInfo*);
  auto* record = device_.Get<Barrier>("vkCmdPipelineBarrier2");
  if (record == nullptr) record = device_.Get<Barrier>("vkCmdPipelineBarrier2KHR");
  if (record == nullptr) return Unsupported("the device has no vkCmdPipelineBarrier2");
  record(commands_, &dependency);
  CTS_RETURN_IF_ERROR(StatusOfCall(
      "vkEndCommandBuffer", device_.Get<vk::Result(vk::Pointer)>("vkEndCommandBuffer")(commands_)));
  return Make("vkCreateFence", "vkDestroyFence", vk::FenceCreateInfo(), &fence_);
}

StatusOr<std::vector<Tensor>> GraphOnDevice::Run(const std::vector<const Tensor*>& inputs) {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const PortTensor& tensor = tensors_[i];
    const auto size =
        static_cast<size_t>(ElementCount(tensor.port->shape) * StorageBytes(tensor.port->dtype));
    if (i >= inputs.size()) {
      std::memset(tensor.bytes, kPoison, size);
      continue;
    }
    if (inputs[i]->bytes().size() != size) {
      return InvalidArgument("input ", tensor.port->tensor, " has ", inputs[i]->bytes().size(),
                             " bytes, expected ", size);
    }
    std::memcpy(tensor.bytes, inputs[i]->bytes().data(), size);
  }
  vk::SubmitInfo submit;
  submit.command_buffer_count = 1;
  submit.command_buffers = &commands_;
  using Submit = vk::Result(vk::Pointer, uint32_t, const vk::SubmitInfo*, vk::Handle);
  CTS_RETURN_IF_ERROR(StatusOfCall(
      "vkQueueSubmit", device_.Get<Submit>("vkQueueSubmit")(device_.queue(), 1, &submit, fence_)));
  using Wait = vk::Result(vk::Pointer, uint32_t, const vk::Handle*, uint32_t, uint64_t);
  CTS_RETURN_IF_ERROR(StatusOfCall(
      "vkWaitForFences",
      device_.Get<Wait>("vkWaitForFences")(device_.handle(), 1, &fence_, 1, UINT64_MAX)));
  using Reset = vk::Result(vk::Pointer, uint32_t, const vk::Handle*);
  CTS_RETURN_IF_ERROR(StatusOfCall(
      "vkResetFences", device_.Get<Reset>("vkResetFences")(device_.handle(), 1, &fence_)));
  std::vector<Tensor> outputs;
  for (size_t i = inputs.size(); i < tensors_.size(); ++i) {
    Tensor output(tensors_[i].port->dtype, tensors_[i].port->shape);
    std::memcpy(output.bytes().data(), tensors_[i].bytes, output.bytes().size());
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace cts
