// Faults of MATMUL.
#include <string>

#include "reference/base/status.h"
#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"

namespace cts::matmul_faults {

Faults MatmulFaults() {
  Faults faults = SumFaults({.name = "MATMUL"});
  MarkReported(faults, {"saturates_pairs_of_products", "accumulates_integers_in_fp32"},
               "tools/adapters/onednn/README.md");
  FaultFamily family("MATMUL");
  family.clause = "MATMUL, shapes [N,H,C] and [N,C,W]";
  family.Add("transposes_a", "reads an A of N, C, H", nullptr, ByCall([](CallEditor& e) {
               return ReadInOrder(e, "A", {0, 2, 1});
             }));
  family.Add("transposes_b", "reads a B of N, W, C", nullptr, ByCall([](CallEditor& e) {
               return ReadInOrder(e, "B", {0, 2, 1});
             }));
  family.Add("takes_the_first_batch_of_b", "multiplies every batch of A with the first of B",
             nullptr, ByCall([](CallEditor& e) {
               const Shape& b = e.original().shape("B");
               return Rearrange(e, "B", [&](int64_t i) { return i % (b[1] * b[2]); });
             }));
  family.Add("takes_the_first_batch_of_a", "multiplies the first batch of A with every batch of B",
             nullptr, ByCall([](CallEditor& e) { return StepThroughBatches(e, "A", 0); }));
  const auto step = [&](const std::string& operand, const std::string& of) {
    family.Add(
        StrCat("steps_through_", operand == "A" ? "a" : "b", "_by_",
               of == "output" ? "the_output"
               : of == "A"    ? "a"
                              : "b"),
        StrCat("reads each batch of ", operand, " as far behind the one before as the batches of ",
               of == "output" ? "the output" : of, " lie"),
        nullptr, ByCall([operand, of](CallEditor& e) {
          const Shape& shape = e.original().shape(of);
          return StepThroughBatches(e, operand, shape[1] * shape[2]);
        }));
  };
  step("A", "B");
  step("B", "A");
  step("A", "output");
  step("B", "output");
  family.Add("takes_the_batch_innermost", "reads an A and a B of which N is the last axis", nullptr,
             ByCall([](CallEditor& e) {
               const bool a = ReadInOrder(e, "A", {1, 2, 0});
               return ReadInOrder(e, "B", {1, 2, 0}) || a;
             }));
  family.clause = "MATMUL, sum over C";
  for (const int64_t width : {1, 4, 16}) {
    family.Add(width == 1 ? "forgets_the_last_product"
                          : StrCat("loses_products_beyond_vectors_of_", width),
               width == 1 ? "leaves out the last product of every sum"
                          : StrCat("adds whole vectors of ", width, " products, and not the rest"),
               nullptr, ByCall([width](CallEditor& e) {
                 const Call& call = e.original();
                 const int64_t size = call.shape("B")[1];
                 const int64_t first = width == 1 ? size - 1 : size / width * width;
                 return size > width &&
                        Blank(e, "B", 1, first, size, call.Number("B_zp").Integer());
               }));
  }
  family.clause = "MATMUL, zero points";
  family.Add("exchanges_the_zero_points", "subtracts A_zp from B and B_zp from A",
             Operands({DType::kI8}), ByCall([](CallEditor& e) {
               const std::vector<int64_t> a = e.Integers("A_zp"), b = e.Integers("B_zp");
               e.Set("A_zp", b);
               e.Set("B_zp", a);
               return a != b;
             }));
  family.clause = "MATMUL, every element of the output";
  family.Add("spoils_every_16th_column", "stores a neighbour in the last of every 16 columns",
             nullptr, RepeatsEvery(2, 16));
  family.Add("spoils_every_32nd_column", "stores a neighbour in the last of every 32 columns",
             nullptr, RepeatsEvery(2, 32));
  family.Add("spoils_every_16th_row", "stores a neighbour in the last of every 16 rows", nullptr,
             RepeatsEvery(1, 16));
  Append(faults, family.Take());
  return faults;
}

}  // namespace cts::matmul_faults
