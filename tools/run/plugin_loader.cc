#include "tools/run/plugin_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <variant>

#include "checker/printable.h"
#include "tools/run/plugin_process.h"

namespace cts {

const char* volatile plugin_stage = nullptr;

namespace {

// Longer texts are no names, and end here if nothing ends them.
constexpr size_t kMaxName = 200;
constexpr size_t kMaxErrorText = 4096;

// Printable; of a text that nothing ends, as much as is looked at.
std::string Text(const char* text, size_t max_bytes) {
  return text == nullptr ? "" : Printable(std::string_view(text, strnlen(text, max_bytes)));
}

// The table's own words. Empty or endless ones are refused: results are filed under them.
StatusOr<std::string> NameIn(const char* text, const char* stage, const std::string& what) {
  plugin_stage = stage;
  const size_t length = text == nullptr ? 0 : strnlen(text, kMaxName + 1);
  if (length > 0 && length <= kMaxName) return Text(text, length);
  return InvalidArgument(
      what, ": found ",
      text == nullptr ? "NULL" : StrCat(length == 0 ? "an empty" : "a longer", " text"),
      ", expected a text of 1 to ", kMaxName, " bytes that a zero ends");
}

constexpr const char* kRebuild =
    "; build the plugin with the plugin.h that this tensor-cts installs, or use a tensor-cts of "
    "that "
    "version of the interface";

}  // namespace

StatusOr<Plugin> Plugin::Load(const std::filesystem::path& path) {
  const std::string place = path.string();
  plugin_stage = "dlopen, where its constructors run";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return InvalidArgument(place,
                           ": cannot be loaded: ", why == nullptr ? "unknown" : Printable(why),
                           "; expected a shared library for this machine with everything that it "
                           "needs (`ldd` lists that; LD_LIBRARY_PATH says where else to look)",
                           InstallHint(why == nullptr ? "" : why));
  }
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): POSIX has it so.
  const auto entry =
      reinterpret_cast<decltype(&tensor_cts_plugin)>(dlsym(library, "tensor_cts_plugin"));
  if (entry == nullptr) {
    return InvalidArgument(
        place, ": found no function tensor_cts_plugin in it, expected one that is ",
        "exported with C linkage, as plugin.h declares it; is this the plugin, or "
        "the library that it wraps? (`nm -D` lists what is exported)");
  }
  plugin_stage = "tensor_cts_plugin or the table that it returned";
  const tensor_cts_plugin_table* const table = entry(TENSOR_CTS_PLUGIN_ABI);
  if (table == nullptr) {
    return InvalidArgument(place,
                           ": tensor_cts_plugin returned NULL, expected a table: it does not ",
                           "know version ", TENSOR_CTS_PLUGIN_ABI, " of the interface", kRebuild);
  }
  if (table->abi != TENSOR_CTS_PLUGIN_ABI) {
    return InvalidArgument(place, ": found a table of version ", table->abi,
                           " of the interface, expected ", TENSOR_CTS_PLUGIN_ABI, kRebuild);
  }
  for (const auto& [name, null] : {std::pair("prepare", table->prepare == nullptr),
                                   std::pair("execute", table->execute == nullptr),
                                   std::pair("error_text", table->error_text == nullptr),
                                   std::pair("free", table->free == nullptr)}) {
    if (null) return InvalidArgument(place, ": table: ", name, ": found NULL, expected a function");
  }
  Plugin plugin;
  plugin.table_ = table;
  CTS_ASSIGN_OR_RETURN(plugin.name_,
                       NameIn(table->name, "the reading of its name", place + ": table: name"));
  CTS_ASSIGN_OR_RETURN(plugin.version_, NameIn(table->version, "the reading of its version",
                                               place + ": table: version"));
  if (table->about != nullptr) {
    CTS_ASSIGN_OR_RETURN(
        plugin.about_, NameIn(table->about, "the reading of its about", place + ": table: about"));
  }
  plugin_stage = nullptr;
  return plugin;
}

std::string Plugin::ErrorText() const {
  const char* const before = plugin_stage;
  plugin_stage = "error_text";
  std::string text = Text(table_->error_text(), kMaxErrorText);
  plugin_stage = before;
  return text;
}

std::string InstallHint(std::string_view text) {
  const auto about = [&](std::string_view name) { return text.find(name) != text.npos; };
  if (about("dnnl") || about("onednn")) {
    return "; for oneDNN's: apt-get install libdnnl-dev (Debian 12), then configure and build "
           "again";
  }
  if (about("onnxruntime/adapter.mjs")) {
    return "; for ONNX Runtime's: apt-get install nodejs npm (Debian 12), then npm ci "
           "--ignore-scripts --prefix tools/adapters/onnxruntime";
  }
  if (about("mlir/adapter.py")) {
    return "; for MLIR's: apt-get install mlir-22-tools gcc python3-numpy (Debian 12)";
  }
  return "";
}

size_t PluginBytes(DType dtype, const Shape& shape) {
  const StatusOr<int64_t> count = CheckedElementCount(shape);
  size_t bytes = 0;
  if (!count.ok() || __builtin_mul_overflow(static_cast<size_t>(*count),
                                            static_cast<size_t>(StorageBytes(dtype)), &bytes)) {
    return 0;
  }
  return bytes;
}

PluginGraph::PluginGraph(const Graph& graph, const std::string& edition, const std::string& level) {
  std::vector<tensor_cts_block> blocks;
  for (const Region& region : graph.regions) {
    // An attribute names a region, and runs its first block.
    for (const Block& block : region.blocks) {
      blocks.push_back(Add(block, &block == &region.blocks.front() ? region.name : block.name));
    }
  }
  graph_ =
      *Keep(std::vector{tensor_cts_graph{Keep(edition), Keep(level), Keep(blocks), blocks.size()}});
  for (PluginBuffer& buffer : pages_) buffer.Protect();
  for (PluginBuffer& buffer : constants_) buffer.Protect();
}

template <class T>
const T* PluginGraph::Keep(const std::vector<T>& items) {
  constexpr size_t kPages = 32 << 10;
  if (items.empty()) return nullptr;
  const size_t bytes = items.size() * sizeof(T);
  used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
  if (pages_.empty() || used_ + bytes > pages_.back().bytes()) {
    pages_.emplace_back("the graph", std::max(bytes, kPages));
    used_ = 0;
    if (pages_.back().data() == nullptr) EndPluginHost("no memory for the graph");
  }
  auto* const kept = reinterpret_cast<T*>(pages_.back().data() + used_);
  std::memcpy(kept, items.data(), bytes);
  used_ += bytes;
  return kept;
}

const char* PluginGraph::Keep(const std::string& text) {
  return Keep(std::vector<char>(text.c_str(), text.c_str() + text.size() + 1));
}

const void* PluginGraph::KeepConstant(const std::string& name, const Tensor& tensor) {
  // A shape without dimensions is a constant, too.
  if (tensor.bytes().empty()) return "";
  PluginBuffer& buffer = constants_.emplace_back(
      StrCat("the constant ", Printable(name).substr(0, 60)), tensor.bytes().size());
  if (buffer.data() == nullptr) EndPluginHost("no memory for " + buffer.what());
  std::memcpy(buffer.data(), tensor.bytes().data(), tensor.bytes().size());
  return buffer.data();
}

tensor_cts_block PluginGraph::Add(const Block& block, const std::string& name) {
  std::map<std::string_view, size_t> index;
  std::vector<tensor_cts_value> values;
  for (const GraphTensor& tensor : block.tensors) {
    index[tensor.name] = values.size();
    values.push_back({Keep(tensor.name), Info(tensor.dtype).name.data(), Keep(tensor.shape),
                      tensor.shape.size(),
                      tensor.values ? KeepConstant(tensor.name, *tensor.values) : nullptr,
                      PluginBytes(tensor.dtype, tensor.shape)});
  }
  const auto indices = [&](const std::vector<std::string>& names) {
    std::vector<size_t> of;
    of.reserve(names.size());
    for (const std::string& tensor : names) of.push_back(index.at(tensor));
    return Keep(of);
  };
  std::vector<tensor_cts_operator> operators;
  for (const GraphOperator& op : block.operators) {
    std::vector<tensor_cts_attribute> attributes;
    for (const auto& [key, value] : op.attributes) {
      tensor_cts_attribute attribute = {};
      attribute.name = Keep(key);
      if (const auto* truth = std::get_if<bool>(&value)) {
        attribute.kind = TENSOR_CTS_BOOL;
        attribute.integer = *truth ? 1 : 0;
      } else if (const auto* integer = std::get_if<int64_t>(&value)) {
        attribute.kind = TENSOR_CTS_INTEGER;
        attribute.integer = *integer;
      } else if (const auto* real = std::get_if<double>(&value)) {
        attribute.kind = TENSOR_CTS_REAL;
        attribute.real = *real;
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        attribute.kind = TENSOR_CTS_TEXT;
        attribute.text = Keep(*text);
      } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
        attribute.kind = TENSOR_CTS_LIST;
        attribute.list = Keep(*list);
        attribute.count = list->size();
      }
      attributes.push_back(attribute);
    }
    operators.push_back({Keep(op.op), indices(op.inputs), op.inputs.size(), indices(op.outputs),
                         op.outputs.size(), Keep(attributes), attributes.size()});
  }
  return {Keep(name),          Keep(values),           values.size(),
          Keep(operators),     operators.size(),       indices(block.inputs),
          block.inputs.size(), indices(block.outputs), block.outputs.size()};
}

}  // namespace cts
