// Opens a library of the system when the program needs it. A program that does not open the library
// uses no memory for it, and runs even if the library is not installed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/base/status.h"

namespace cts {

class SharedLibrary {
 public:
  // Opens the first library in `names` that the system's loader can open. `names` are file names
  // such as libarchive.so.13. The library stays open until the process ends. If the loader can open
  // none of the libraries, the error has the loader's message and the text that `remedy` returns.
  // If there is not enough memory, the error is OutOfMemory instead (out_of_memory.h).
  static StatusOr<SharedLibrary> Open(const std::vector<std::string>& names,
                                      const std::function<std::string()>& remedy);

  const std::string& name() const { return name_; }

  // Sets `function` to the function with the name `symbol` in the library, or in a library on which
  // this library depends. An error if there is no such function.
  template <class Function>
  Status Find(const std::string& symbol, Function*& function) const {
    CTS_ASSIGN_OR_RETURN(void* const found, Address(symbol));
    function = reinterpret_cast<Function*>(found);
    return absl::OkStatus();
  }

 private:
  SharedLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  StatusOr<void*> Address(const std::string& symbol) const;

  std::string name_;
  void* handle_;
};

}  // namespace cts
