#include "tools/program/run/plugin_host.h"

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/judge/case_status.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/bundle/case.h"
#include "tools/program/run/plugin_buffer.h"
#include "tools/program/run/plugin_graph.h"
#include "tools/program/run/plugin_process.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// The runner's view of a case. A fault is a violation of the interface by the plugin.
struct HostReply {
  CaseStatus status;
  std::string message, fault;
};

HostReply Fault(std::string fault) { return {CaseStatus::kProtocol, "", std::move(fault)}; }

class Host {
 public:
  explicit Host(Plugin plugin) : plugin_(std::move(plugin)) {}

  const Plugin& plugin() const { return plugin_; }

  // An error if the bundle cannot be read or an output cannot be written.
  StatusOr<HostReply> RunCase(const fs::path& case_dir, const fs::path& result_dir) {
    CTS_ASSIGN_OR_RETURN(const Case c, ReadCaseInputs(case_dir));
    const PluginGraph graph(c.graph, c.edition, c.level);
    void* prepared = nullptr;
    outputs_seen_ = 0;
    HostReply answer =
        Call("prepare", [&] { return plugin_.table().prepare(&graph.get(), &prepared); });
    const auto inputs = c.InputsOfExecutions();
    for (size_t k = 0; k < inputs.size() && answer.status == CaseStatus::kOk; ++k) {
      CTS_ASSIGN_OR_RETURN(
          answer, Execute(c.graph.main(), *inputs[k], static_cast<int>(k), prepared, result_dir));
      // The buffers stay in place for a while: a late write there ends the process.
      constexpr size_t kRemembered = 32;
      for (const auto& buffer : buffers_) buffer->Discard();
      while (buffers_.size() > kRemembered) buffers_.pop_front();
    }
    // A longjmp into a function that is over may look to the host as if execute had returned.
    if (answer.status == CaseStatus::kOk &&
        outputs_seen_ != inputs.size() * c.graph.main().outputs.size()) {
      answer = Fault("execute did not return to where it was called: longjmp?");
    }
    // After a fault nothing is certain, least of all what to free.
    if (!answer.fault.empty() || prepared == nullptr) return answer;
    const HostReply freed = Call("free", [&] {
      plugin_.table().free(prepared);
      return TENSOR_CTS_OK;
    });
    return freed.fault.empty() ? answer : freed;
  }

 private:
  template <class F>
  HostReply Call(const char* stage, F call) {
    const int status = CallPlugin(stage, [&] { return static_cast<int>(call()); });
    switch (status) {
      case TENSOR_CTS_OK:
        return {CaseStatus::kOk, "", ""};
      case TENSOR_CTS_ERROR:
        return {CaseStatus::kError, plugin_.ErrorText(), ""};
      case TENSOR_CTS_UNSUPPORTED:
        return {CaseStatus::kUnsupported, plugin_.ErrorText(), ""};
      case TENSOR_CTS_FAILED: {
        const std::string why = plugin_.ErrorText();
        EndPluginHost(
            StrCat(stage, " returned TENSOR_CTS_FAILED: ", why.empty() ? "no reason given" : why));
      }
      default:
        return Fault(StrCat(stage, " returned the status ", status,
                            ", expected one from 0 (OK) to ", static_cast<int>(TENSOR_CTS_FAILED),
                            " (FAILED)"));
    }
  }

  StatusOr<HostReply> Execute(const Block& block, const std::map<std::string, Tensor>& inputs,
                              int k, void* prepared, const fs::path& result_dir) {
    std::vector<PluginBuffer*> buffers;
    const auto new_buffer = [&](const char* kind, size_t i, const std::string& name, size_t bytes) {
      buffers_.push_back(std::make_unique<PluginBuffer>(
          StrCat(kind, " ", i, " (", Printable(name).substr(0, 60), ")"), bytes));
      buffers.push_back(buffers_.back().get());
      return buffers.back();
    };
    std::vector<tensor_cts_input_buffer> in;
    for (const std::string& name : block.inputs) {
      // An error case may have no file: none has the shape that the case declares.
      const auto value = inputs.find(name);
      const size_t bytes = value == inputs.end() ? 0 : value->second.bytes().size();
      PluginBuffer* const buffer = new_buffer("input", in.size(), name, bytes);
      if (buffer->bytes() < bytes) return Unavailable("no memory for ", buffer->what());
      if (bytes > 0) std::memcpy(buffer->data(), value->second.bytes().data(), bytes);
      buffer->Protect();
      in.push_back({buffer->data(), buffer->bytes()});
    }
    std::vector<tensor_cts_output_buffer> out;
    for (const std::string& name : block.outputs) {
      const GraphTensor& tensor = *block.Find(name);
      PluginBuffer* const buffer =
          new_buffer("output", out.size(), name, PluginBytes(tensor.dtype, tensor.shape));
      // Elements that the plugin does not write should not look like an answer, as zeros and ones
      // might. So floats are NaN, and other elements are no boolean, no i4 and no integer of which
      // whole tensors consist.
      const int unwritten = IsFloat(tensor.dtype) ? 0xFF : 0xA5;
      if (buffer->bytes() > 0) std::memset(buffer->data(), unwritten, buffer->bytes());
      out.push_back({buffer->data(), buffer->bytes(), kUnset});
    }
    // The plugin gets copies of the arrays: it may do to them what it likes.
    std::vector<tensor_cts_output_buffer> told = out;
    const std::vector<tensor_cts_input_buffer> in_told = in;
    const HostReply answer = Call("execute", [&] {
      return plugin_.table().execute(prepared, in_told.data(), in_told.size(), told.data(),
                                     told.size());
    });
    for (PluginBuffer* const buffer : buffers) buffer->Protect(" after execute had returned");
    if (!answer.fault.empty()) return answer;
    for (const PluginBuffer* const buffer : buffers) {
      if (std::string damage = buffer->Damage(); !damage.empty()) return Fault(std::move(damage));
    }
    if (answer.status != CaseStatus::kOk) return answer;
    for (size_t i = 0; i < out.size(); ++i) {
      ++outputs_seen_;
      const GraphTensor& tensor = *block.Find(block.outputs[i]);
      const size_t element = static_cast<size_t>(StorageBytes(tensor.dtype));
      const size_t written = told[i].written;
      if (written == kUnset && out[i].bytes > 0) {
        return Fault(StrCat("execute returned OK, and did not set `written` of output ", i, " (",
                            Printable(tensor.name), ")"));
      }
      if (written == kUnset) continue;
      if (written > out[i].bytes || written % element != 0) {
        return Fault(StrCat("execute says that it wrote ", written, " bytes to output ", i, " (",
                            Printable(tensor.name), "), expected ", out[i].bytes));
      }
      // Another length than the declared one: the checker will report it.
      const bool whole = written == out[i].bytes;
      if (written == 0 && !IsEmptyShape(tensor)) continue;
      Tensor value(tensor.dtype,
                   whole ? tensor.shape : Shape{static_cast<int64_t>(written / element)});
      if (written > 0) std::memcpy(value.bytes().data(), out[i].data, written);
      CTS_RETURN_IF_ERROR(WriteNpy(result_dir / (ResultName(tensor.name, k) + ".npy"), value));
    }
    return answer;
  }

  static bool IsEmptyShape(const GraphTensor& tensor) {
    return tensor.dtype == DType::kShape && tensor.shape == Shape{0};
  }

  static constexpr size_t kUnset = SIZE_MAX;

  const Plugin plugin_;
  std::deque<std::unique_ptr<PluginBuffer>> buffers_;
  size_t outputs_seen_ = 0;  // of the case in hand
};

// ---- The protocol ------------------------------------------------------------------------------

void Send(const PluginStreams& streams, const Json& json) {
  streams.Send(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void AnswerFor(Host& host, const PluginStreams& streams, const Json& request) {
  const auto answer = host.RunCase(request["case_dir"].get<std::string>(),
                                   request["result_dir"].get<std::string>());
  if (!answer.ok()) {
    EndPluginHost("the host's own trouble, not the plugin's: " + Message(answer.status()));
  }
  Json json = {{"case", request["case"]}};
  if (!answer->fault.empty()) {
    json["fault"] = answer->fault;
    Send(streams, json);
    EndPluginHost(answer->fault);
  }
  json["status"] = Name(answer->status);
  if (!answer->message.empty()) json["message"] = answer->message;
  Send(streams, json);
}

}  // namespace

int ServePlugin(const fs::path& library) {
  PluginStreams streams = PluginStreams::Take();
  Host host(LoadPluginOrEnd(library));
  Json announcement = {{"worker", host.plugin().name()}, {"version", host.plugin().version()}};
  if (!host.plugin().about().empty()) announcement["about"] = host.plugin().about();
  if (!host.plugin().declared().empty()) {
    // It was read when the plugin was loaded.
    announcement["declared"] = Json::parse(host.plugin().declared());
  }
  Send(streams, announcement);
  while (const std::optional<std::string> line = streams.NextLine()) {
    const auto request = ParseJson(*line, "request");
    if (!request.ok()) EndPluginHost(Message(request.status()));
    for (const char* member : {"case", "case_dir", "result_dir"}) {
      if (!request->is_object() || !request->contains(member) || !(*request)[member].is_string()) {
        EndPluginHost(StrCat("found the request ", Printable(*line), ", expected a string \"",
                             member, "\" in it"));
      }
    }
    AnswerFor(host, streams, *request);
  }
  return 0;
}

int ServePluginOnce(const fs::path& library, const fs::path& case_dir, const fs::path& result_dir) {
  PluginStreams streams = PluginStreams::Take();
  Host host(LoadPluginOrEnd(library));
  AnswerFor(host, streams,
            {{"case", case_dir.filename().string()},
             {"case_dir", case_dir.string()},
             {"result_dir", result_dir.string()}});
  return 0;
}

}  // namespace cts
