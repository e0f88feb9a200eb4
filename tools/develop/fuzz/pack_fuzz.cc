// A packed folder, as every command reads it.
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "reference/base/pack.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {

void FuzzPack(std::string_view bytes) {
  const int fd = memfd_create("pack", 0);
  Assert(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
         "memory can be written");
  const auto pack = Pack::Read(fd, "abs.tar", "abs");  // takes the descriptor
  if (!pack.ok()) {
    return Assert(Message(pack.status()).starts_with("abs.tar: "), "a refusal names the file");
  }
  // Nothing but the files' names and contents decides what the bytes are.
  std::string again;
  const auto entries = EntriesOfPacked(bytes.substr(0, bytes.size() - kPackEnd));
  Assert(entries.ok(), "both readers take the same");
  Assert(entries->size() == (*pack)->Names().size(), "every name is there once");
  for (const PackedEntry& entry : *entries) {
    const auto contents = (*pack)->ReadFile(entry.name, bytes.size());
    Assert(contents.ok() && *contents == bytes.substr(entry.offset, entry.size),
           "both readers read the same");
    again += PackedFile(entry.name, *contents).value_or("");
  }
  Assert(again + std::string(kPackEnd, '\0') == bytes, "written again it is the same");
}

}  // namespace cts
