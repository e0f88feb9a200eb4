// A library of the system that is opened only when it is needed. A program that never opens it uses
// no memory for it, and runs even if the library is not installed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/base/status.h"

namespace cts {

class SharedLibrary {
 public:
  // Opens the first of these file names, such as libarchive.so.13, that the system's loader can
  // open. The library stays open until the process ends. If no name can be opened, the error has
  // the loader's message and the text that `remedy` returns. If memory is lacking, the error is
  // OutOfMemory instead (out_of_memory.h).
  static StatusOr<SharedLibrary> Open(const std::vector<std::string>& names,
                                      const std::function<std::string()>& remedy);

  const std::string& name() const { return name_; }

  // Sets `function` to the function of this name in the library, or in a library that it depends
  // on. An error if there is no such function.
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
