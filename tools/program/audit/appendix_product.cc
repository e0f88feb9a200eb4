#include "tools/program/audit/appendix_product.h"

#include "generator/data/data_sets.h"
#include "reference/evaluate/evaluate.h"

namespace cts {

StatusOr<AppendixProduct> MakeAppendixProduct(const Setting& setting, int64_t kernel_size,
                                              int set) {
  const DType in = setting.Type("in_t"), out = setting.Type("out_t");
  DotProductSet data(setting.edition->features, set, kernel_size, in, out, out);
  AppendixProduct product{MatmulA(data, in, {1, AppendixProduct::kRows, kernel_size}),
                          MatmulB(data, in, {1, kernel_size, AppendixProduct::kColumns}),
                          {}};
  CaseDraft draft;
  draft.Input("A", product.a);
  draft.Input("B", product.b);
  draft.Set("A_zp", int64_t{0});
  draft.Set("B_zp", int64_t{0});
  draft.output_type = out;
  draft.output_shape = {1, AppendixProduct::kRows, AppendixProduct::kColumns};
  CTS_ASSIGN_OR_RETURN(const Assembly assembly, AssembleGraph(setting, draft));
  CTS_ASSIGN_OR_RETURN(
      const Evaluation evaluation,
      Evaluate(assembly.graph, assembly.inputs, *setting.edition, *setting.level, set));
  if (evaluation.outcome != Outcome::kValid)
    return InvalidArgument("MATMUL of appendix A is not valid");
  product.expected = evaluation.outputs[0];
  return product;
}

}  // namespace cts
