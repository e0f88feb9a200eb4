// One module on a device: its tensors, pipeline and session, run as often as a case asks.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/formats/spirv.h"
#include "tools/adapters/vulkan/device.h"

namespace cts {

struct ExecutionOptions {
  // Where the session's memory begins in its allocation, in multiples of the alignment that the
  // device asks for.
  uint32_t session_offset = 0;
};

// Errors: kUnimplemented if the device lacks a format, memory or a limit; kInvalidArgument if it
// refuses the module; kAborted if the device is lost, after which nothing of it may be used.
class GraphOnDevice {
 public:
  static StatusOr<std::unique_ptr<GraphOnDevice>> Prepare(const Device& device,
                                                          const SpirvModule& module,
                                                          const ExecutionOptions& options);
  ~GraphOnDevice();
  GraphOnDevice(const GraphOnDevice&) = delete;
  GraphOnDevice& operator=(const GraphOnDevice&) = delete;

  // The outputs for the inputs, both in the order of the module's ports. Before, every byte of the
  // outputs is other than zero.
  StatusOr<std::vector<Tensor>> Run(const std::vector<const Tensor*>& inputs);

 private:
  struct PortTensor {
    const SpirvPort* port;
    vk::Handle tensor = 0, memory = 0, view = 0;
    void* bytes = nullptr;
  };

  GraphOnDevice(const Device& device, const SpirvModule& module)
      : device_(device), module_(module) {}
  Status MakeTensors();
  Status CheckLimits(const SpirvPort& port) const;
  Status MakeTensor(PortTensor& port);
  Status MakeLayout();
  Status MakePipeline();
  Status MakeSession(const ExecutionOptions& options);
  Status BindSessionMemory(const vk::SessionBindPointRequirement& point, uint32_t object,
                           uint32_t offset);
  Status MakeDescriptors();
  Status MakeCommands();
  Status Allocate(uint64_t size, uint32_t type, vk::Handle* memory);
  // Maps the memory and fills it.
  Status Map(vk::Handle memory, int value, uint64_t size, void** bytes) const;
  // How the object is made, and that it will be destroyed.
  template <class Info>
  Status Make(const char* create, const char* destroy, const Info& info, vk::Handle* object);
  vk::TensorDescription Describe(const SpirvPort& port, const int64_t* dimensions) const;

  const Device& device_;
  const SpirvModule& module_;
  std::vector<PortTensor> tensors_;  // inputs, then outputs
  vk::Handle set_layout_ = 0, layout_ = 0, shader_ = 0, pipeline_ = 0, session_ = 0, pool_ = 0,
             set_ = 0, command_pool_ = 0, fence_ = 0;
  vk::Pointer commands_ = nullptr;
  std::vector<std::function<void()>> destroy_;  // in the order in which they were made
};

}  // namespace cts
