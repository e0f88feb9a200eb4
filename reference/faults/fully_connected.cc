// Faults of FULLY_CONNECTED.
#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"

namespace cts::fully_connected_faults {

Faults FullyConnectedFaults() {
  Faults faults = SumFaults({.name = "FULLY_CONNECTED", .bias = "bias"});
  FaultFamily family("FULLY_CONNECTED");
  family.clause = "FULLY_CONNECTED, shape of the weight";
  family.Add("transposes_the_weight", "reads a weight of IC, OC", nullptr,
             ByCall([](CallEditor& e) {
               return ReadInOrder(e, "weight", {1, 0});
             }));
  family.clause = "FULLY_CONNECTED, sum over IC";
  for (const int64_t width : {1, 4, 16}) {
    family.Add(width == 1 ? "forgets_the_last_channel"
                          : StrCat("loses_channels_beyond_vectors_of_", width),
               width == 1 ? "leaves out the last input channel"
                          : StrCat("adds whole vectors of ", width, " channels, and not the rest"),
               nullptr, ByCall([width](CallEditor& e) {
                 const Call& call = e.original();
                 const int64_t size = call.shape("weight")[1];
                 const int64_t first = width == 1 ? size - 1 : size / width * width;
                 return size > width &&
                        Blank(e, "weight", 1, first, size, call.Number("weight_zp").Integer());
               }));
  }
  family.clause = "FULLY_CONNECTED, every element of the output";
  family.Add("spoils_every_32nd_column", "stores a neighbour in the last of every 32 columns",
             nullptr, RepeatsEvery(1, 32));
  Append(faults, family.Take());
  return faults;
}

}  // namespace cts::fully_connected_faults
