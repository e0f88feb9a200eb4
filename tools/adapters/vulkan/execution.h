// One SPIR-V module on a device, with its tensors, pipeline and sessions. The module can run any
// number of times.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/formats/spirv/spirv.h"
#include "tools/adapters/vulkan/device.h"

namespace cts {

enum class Tiling {
  kPacked,   // LINEAR, without strides
  kStrided,  // LINEAR, with room for one more element after each row, plane and so on
  kOptimal,  // OPTIMAL, filled and read by copying tensors
};

// Variants of execution. No variant may change a result.
struct ExecutionOptions {
  Tiling tiling = Tiling::kPacked;
  // Where the session's memory begins in its allocation, in multiples of the alignment that the
  // device requires.
  uint32_t session_offset = 0;
  int dispatches = 1;   // one after the other
  int sessions = 1;     // of one pipeline, each with its own tensors, without barriers between them
  bool cached = false;  // the pipeline comes from a cache that an equal pipeline has filled
  // Before a run, every byte of the outputs has this value, so that unwritten bytes show. The
  // session's memory has the same value before the first run, if the host can map that memory.
  uint8_t poison = 0xa5;
};

// Errors: kUnimplemented if the device lacks a format, a feature or memory, or if a limit of the
// device is exceeded. kInvalidArgument if the device refuses the module, or if an input does not
// fit its port. kAborted if the device is lost and must not be used any more. kFailedPrecondition
// if two sessions give different results.
class GraphOnDevice {
 public:
  // The device and the module must outlive the returned object.
  static StatusOr<std::unique_ptr<GraphOnDevice>> Prepare(const Device& device,
                                                          const SpirvModule& module,
                                                          const ExecutionOptions& options);
  ~GraphOnDevice();
  GraphOnDevice(const GraphOnDevice&) = delete;
  GraphOnDevice& operator=(const GraphOnDevice&) = delete;

  // Computes the outputs for these inputs. Inputs and outputs are in the order of the module's
  // ports.
  StatusOr<std::vector<Tensor>> Run(const std::vector<const Tensor*>& inputs);

  // The device's log of the creation of the pipeline; empty if the device wrote no log.
  const std::string& creation_log() const { return creation_log_; }

 private:
  struct PortTensor {
    const SpirvPort* port;
    std::vector<int64_t> strides;     // in bytes, of the tensor that the host sees
    vk::Handle tensor = 0, view = 0;  // the tensor that the graph sees
    vk::Handle copied = 0;            // the tensor that the host sees, if not `tensor`
    char* bytes = nullptr;            // the mapped memory of the tensor that the host sees
  };
  // A session and its tensors: inputs, then outputs.
  struct Bench {
    std::vector<PortTensor> tensors;
    vk::Handle session = 0;
    std::vector<vk::Handle> sets;  // one for each layout
  };

  GraphOnDevice(const Device& device, const SpirvModule& module, const ExecutionOptions& options)
      : device_(device), module_(module), options_(options) {}
  Status CheckOptions() const;
  Status CheckLimits(const SpirvPort& port) const;
  Status MakeTensors(Bench& bench);
  Status MakePort(PortTensor& port, bool is_input);
  // Makes a tensor with memory bound to it; if `bytes` is not null, maps the memory and stores its
  // address there.
  Status MakeTensor(const vk::TensorDescription& description, vk::Handle* tensor, char** bytes);
  Status MakeLayout();
  Status MakePipeline();
  Status MakeCachedPipeline(const vk::DataGraphPipelineCreateInfo& info);
  Status CreatePipeline(const vk::DataGraphPipelineCreateInfo& info, vk::Handle cache);
  void ReadCreationLog();
  Status MakeSession(Bench& bench);
  Status BindSessionMemory(const Bench& bench, const vk::SessionBindPointRequirement& point,
                           uint32_t object);
  Status MakeDescriptorPool();
  Status MakeDescriptors(Bench& bench);
  Status MakeCommands();
  Status Record();
  Status RecordBarrier(uint64_t from_stage, uint64_t from_access, uint64_t to_stage,
                       uint64_t to_access);
  Status RecordCopies(bool in);
  Status Submit();
  Status Allocate(uint64_t size, uint32_t type, vk::Handle* memory);
  // Maps the memory and fills it with the poison value.
  Status Map(vk::Handle memory, uint64_t size, char** bytes) const;
  // Makes an object, and adds its destruction to destroy_.
  template <class Info>
  Status Make(const char* create, const char* destroy, const Info& info, vk::Handle* object);
  vk::TensorDescription Describe(const PortTensor& port) const;

  const Device& device_;
  const SpirvModule& module_;
  const ExecutionOptions options_;
  std::vector<Bench> benches_;
  std::vector<vk::Handle> set_layouts_;
  vk::Handle layout_ = 0, shader_ = 0, pipeline_ = 0, pool_ = 0, command_pool_ = 0, fence_ = 0;
  vk::Pointer commands_ = nullptr;
  std::string creation_log_;
  std::vector<std::function<void()>> destroy_;  // one for each object, in the order of creation
};

// Describes the first element that differs; returns an empty text if all bytes are the same. Both
// tensors must have the same type and shape.
std::string DifferenceOf(const std::string& name, const Tensor& expected, const Tensor& found);

}  // namespace cts
