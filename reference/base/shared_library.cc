#include "reference/base/shared_library.h"

#include <dlfcn.h>

#include <string_view>

#include "reference/base/out_of_memory.h"
#include "reference/base/plain_arithmetic.h"

namespace cts {
namespace {

std::string LoaderError() {
  const char* const text = ::dlerror();
  return text == nullptr ? "the loader says no more" : text;
}

}  // namespace

StatusOr<SharedLibrary> SharedLibrary::Open(const std::vector<std::string>& names,
                                            const std::function<std::string()>& remedy) {
  std::string said;
  bool found = false;
  for (const std::string& name : names) {
    const PlainArithmetic plain;  // constructors may set a mode
    if (void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return SharedLibrary(name, handle);
    }
    const std::string error = LoaderError();
    // One that is there and cannot be opened, for want of memory, says more than one that is not.
    const bool absent = error.find("No such file") != std::string::npos;
    if (said.empty() || (!found && !absent)) said = error;
    found = found || !absent;
  }
  const auto says = [&](std::string_view words) { return said.find(words) != std::string::npos; };
  if (says("cannot map") || says("failed to map") || says("allocate memory")) {
    return OutOfMemory(said);
  }
  return Unavailable(said, "; ", remedy());
}

StatusOr<void*> SharedLibrary::Address(const std::string& symbol) const {
  if (void* const found = ::dlsym(handle_, symbol.c_str())) return found;
  return Unavailable(LoaderError(), "; expected a ", name_, " that has ", symbol);
}

}  // namespace cts
