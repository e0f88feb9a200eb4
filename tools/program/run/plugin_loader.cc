#include "tools/program/run/plugin_loader.h"

#include <dlfcn.h>

#include <cstring>

#include "checker/judge/declared.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"

namespace cts {

const char* volatile plugin_stage = nullptr;
ForeignArithmetic plugin_arithmetic;

namespace {

// Longer texts are no names; they are cut off here if nothing ends them.
constexpr size_t kMaxName = 200;
constexpr size_t kMaxErrorText = 4096;
constexpr size_t kMaxDeclared = 65536;

// Printable. A text that nothing ends is cut off.
std::string Text(const char* text, size_t max_bytes) {
  return text == nullptr ? "" : Printable(std::string_view(text, strnlen(text, max_bytes)));
}

// The table's own words. Empty or endless ones are refused: they name the results.
StatusOr<std::string> NameIn(const char* text, const char* stage, const std::string& what) {
  plugin_stage = stage;
  const size_t length = text == nullptr ? 0 : strnlen(text, kMaxName + 1);
  if (length > 0 && length <= kMaxName) return Text(text, length);
  return InvalidArgument(
      what, ": found ",
      text == nullptr ? "NULL" : StrCat(length == 0 ? "an empty" : "a longer", " text"),
      ", expected a text of 1 to ", kMaxName, " bytes that a zero ends");
}

// A JSON object, or empty if the plugin declares nothing.
StatusOr<std::string> DeclaredIn(const char* text, const std::string& place) {
  if (text == nullptr) return std::string();
  const std::string origin = place + ": tensor_cts_plugin_declared";
  const size_t length = strnlen(text, kMaxDeclared + 1);
  if (length > kMaxDeclared) {
    return InvalidArgument(origin, ": found a longer text, expected a JSON object of at most ",
                           kMaxDeclared, " bytes that a zero ends");
  }
  const StatusOr<Json> json = ParseJson({text, length}, origin);
  if (!json.ok()) {
    return InvalidArgument(Message(json.status()),
                           "; expected a JSON object as schemas/declared.schema.json describes it");
  }
  CTS_RETURN_IF_ERROR(DeclaredFromJson(*json, origin).status());
  return json->dump();
}

constexpr const char* kRebuild =
    "; build the plugin with the plugin.h that this tensor-cts installs, or use a tensor-cts of "
    "that "
    "version of the interface";

}  // namespace

StatusOr<Plugin> Plugin::Load(const std::filesystem::path& path) {
  const std::string place = path.string();
  plugin_arithmetic = {};
  void* const library = InPlugin("dlopen, where its constructors run",
                                 [&] { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); });
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
  const tensor_cts_plugin_table* const table =
      InPlugin("tensor_cts_plugin or the table that it returned",
               [&] { return entry(TENSOR_CTS_PLUGIN_ABI); });
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
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): POSIX has it so.
  const auto declared = reinterpret_cast<decltype(&tensor_cts_plugin_declared)>(
      dlsym(library, "tensor_cts_plugin_declared"));
  if (declared != nullptr) {
    const char* const text = InPlugin("tensor_cts_plugin_declared", declared);
    CTS_ASSIGN_OR_RETURN(plugin.declared_, DeclaredIn(text, place));
  }
  plugin_stage = nullptr;
  return plugin;
}

std::string Plugin::ErrorText() const {
  const char* const before = plugin_stage;
  std::string text = Text(InPlugin("error_text", table_->error_text), kMaxErrorText);
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

}  // namespace cts
