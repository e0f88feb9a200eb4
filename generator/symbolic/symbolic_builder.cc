#include "generator/symbolic/symbolic_builder.h"

#include "generator/ops/domain.h"

namespace cts {

SymbolicBuilder::SymbolicBuilder(const Choice& choice, std::vector<Binding> bindings)
    : choice_(choice), bindings_(std::move(bindings)) {
  for (size_t k = 0; k < bindings_.size(); ++k) {
    builders_.push_back(std::make_unique<GraphBuilder>(choice));
  }
}

template <class Step>
SymbolicBuilder::Name SymbolicBuilder::Each(Step step) {
  Name name;
  for (size_t k = 0; k < builders_.size(); ++k) {
    Name made = step(*builders_[k], k);
    if (k > 0 && made != name && failure_.ok()) {
      failure_ =
          absl::InternalError(StrCat("found ", made, " for one binding, ", name, " for another"));
    }
    name = made;
  }
  return name;
}

SymbolicBuilder::Names SymbolicBuilder::NamesOf(const Indices& indices) {
  Names names;
  names.reserve(indices.size());
  for (const Index& index : indices) names.push_back(index.name);
  return names;
}

SymbolicBuilder::Name SymbolicBuilder::Input(const Name& name, DType type,
                                             const std::vector<Dimension>& dimensions, Fill fill) {
  differences_.declared[name] = dimensions;
  return Each([&](GraphBuilder& builder, size_t k) {
    Shape shape;
    for (const Dimension& dimension : dimensions) {
      const int64_t* size = std::get_if<int64_t>(&dimension);
      shape.push_back(size != nullptr ? *size : bindings_[k].at(std::get<std::string>(dimension)));
    }
    const std::string data = k == 0 ? name : StrCat(name, " ", k);
    return builder.Input(name, fill == nullptr ? Filled(choice_, data, type, shape)
                                               : fill(choice_, data, type, shape));
  });
}

SymbolicBuilder::Name SymbolicBuilder::Input(const Name& name, const std::vector<Tensor>& values) {
  return Each([&](GraphBuilder& builder, size_t k) { return builder.Input(name, values[k]); });
}

SymbolicBuilder::Name SymbolicBuilder::Constant(const Name& name, const Tensor& values) {
  return Each([&](GraphBuilder& builder, size_t) { return builder.Constant(name, values); });
}

SymbolicBuilder::Name SymbolicBuilder::Apply(std::string_view op, const Names& operands,
                                             const Parameters& parameters,
                                             std::optional<DType> type) {
  return Each(
      [&](GraphBuilder& builder, size_t) { return builder.Apply(op, operands, parameters, type); });
}

SymbolicBuilder::Name SymbolicBuilder::Rescale(const Name& input,
                                               const std::vector<double>& factors, DType type) {
  return Each([&](GraphBuilder& builder, size_t) { return builder.Rescale(input, factors, type); });
}

SymbolicBuilder::Names SymbolicBuilder::Append(const Setting& setting,
                                               const std::vector<CaseDraft>& drafts) {
  Names names;
  for (size_t k = 0; k < builders_.size(); ++k) {
    if (!drafts[k].failure.ok()) builders_[k]->Fail(drafts[k].failure);
    names = builders_[k]->Append(setting, drafts[k]);
  }
  return names;
}

SymbolicBuilder::Index SymbolicBuilder::Helper(std::string_view op, const Name& input,
                                               const std::string& attribute, int64_t argument,
                                               std::vector<int64_t> values) {
  Index index{StrCat("index_", differences_.helpers.size()), std::move(values)};
  GraphOperator helper{std::string(op), {}, {index.name}, {{attribute, argument}}};
  if (!input.empty()) helper.inputs.push_back(input);
  differences_.helpers.push_back(std::move(helper));
  return index;
}

SymbolicBuilder::Index SymbolicBuilder::Const(int64_t value) {
  return Helper("INDEX_CONST", "", "value", value, std::vector<int64_t>(builders_.size(), value));
}

SymbolicBuilder::Index SymbolicBuilder::Dim(const Name& tensor, int64_t dimension) {
  std::vector<int64_t> values;
  for (const auto& builder : builders_) {
    values.push_back(builder->ShapeOf(tensor).at(static_cast<size_t>(dimension)));
  }
  return Helper("GET_DIM", tensor, "dim_index", dimension, std::move(values));
}

SymbolicBuilder::Index SymbolicBuilder::Extract(const Name& tensor, int64_t element) {
  std::vector<int64_t> values;
  for (const auto& builder : builders_) values.push_back(builder->Values(tensor).Integer(element));
  return Helper("EXTRACT_DIM", tensor, "dim_index", element, std::move(values));
}

SymbolicBuilder::Name SymbolicBuilder::DimsToTensor(const Indices& dims, DType type) {
  const Name name = StrCat("dims_to_tensor_", ++count_, "_output");
  differences_.replaced[name] = {"DIMS_TO_TENSOR", NamesOf(dims), {name}, {}};
  return Each([&](GraphBuilder& builder, size_t k) {
    Tensor values(type, {static_cast<int64_t>(dims.size())});
    for (size_t i = 0; i < dims.size(); ++i) {
      values.SetInteger(static_cast<int64_t>(i), dims[i].values[k]);
    }
    return builder.Constant(name, values);
  });
}

SymbolicBuilder::Name SymbolicBuilder::Iota(const Indices& range, DType type) {
  const Name name = StrCat("iota_", ++count_, "_output");
  differences_.replaced[name] = {"IOTA", NamesOf(range), {name}, {}};
  differences_.forced[name] = {true};
  return Each([&](GraphBuilder& builder, size_t k) {
    const int64_t start = range.size() == 1 ? 0 : range[0].values[k];
    const int64_t limit = range[range.size() == 1 ? 0 : 1].values[k];
    const int64_t step = range.size() == 3 ? range[2].values[k] : 1;
    std::vector<int64_t> values;
    for (int64_t x = start; step > 0 ? x < limit : x > limit; x += step) values.push_back(x);
    Tensor tensor(type, {static_cast<int64_t>(values.size())});
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const int64_t value = values[static_cast<size_t>(i)];
      if (IsFloat(type)) {
        tensor.SetValue(i, static_cast<double>(value));
      } else {
        tensor.SetInteger(i, value);
      }
    }
    return builder.Constant(name, tensor);
  });
}

SymbolicBuilder::Name SymbolicBuilder::ExpandDims(const Name& tensor,
                                                  const std::vector<int64_t>& indices) {
  Name made = Each([&](GraphBuilder& builder, size_t) {
    Shape shape = builder.ShapeOf(tensor);
    // From the end: an insertion there does not move anything before it.
    for (auto i = indices.rbegin(); i != indices.rend(); ++i) shape.insert(shape.begin() + *i, 1);
    return builder.Apply("RESHAPE", {tensor}, {{"shape", shape}});
  });
  differences_.replaced[made] = {"EXPAND_DIMS", {tensor}, {made}, {{"indices", indices}}};
  return made;
}

SymbolicBuilder::Name SymbolicBuilder::CollapseDims(const Name& tensor,
                                                    const std::vector<int64_t>& indices) {
  Name made = Each([&](GraphBuilder& builder, size_t) {
    Shape shape = builder.ShapeOf(tensor);
    for (auto i = indices.rbegin(); i != indices.rend(); ++i) shape.erase(shape.begin() + *i);
    return builder.Apply("RESHAPE", {tensor}, {{"shape", shape}});
  });
  differences_.replaced[made] = {"COLLAPSE_DIMS", {tensor}, {made}, {{"indices", indices}}};
  return made;
}

SymbolicBuilder::Name SymbolicBuilder::Reshape(const Name& tensor,
                                               const std::vector<NewSize>& shape) {
  Name made = Each([&](GraphBuilder& builder, size_t k) {
    Shape sizes;
    for (const NewSize& size : shape) {
      const Index* index = std::get_if<Index>(&size);
      sizes.push_back(index != nullptr ? index->values[k] : std::get<int64_t>(size));
    }
    return builder.Apply("RESHAPE", {tensor}, {{"shape", sizes}});
  });
  GraphOperator reshape{"RESHAPE", {tensor}, {made}, {}};
  std::vector<int64_t> new_shape;
  std::vector<bool> symbols;
  for (const NewSize& size : shape) {
    const Index* index = std::get_if<Index>(&size);
    symbols.push_back(index != nullptr);
    new_shape.push_back(index != nullptr ? -1 : std::get<int64_t>(size));
    if (index != nullptr) reshape.inputs.push_back(index->name);
  }
  reshape.attributes["new_shape"] = std::move(new_shape);
  differences_.forced[made] = std::move(symbols);
  differences_.replaced[made] = std::move(reshape);
  return made;
}

SymbolicBuilder::Name SymbolicBuilder::AtRunTime(
    std::string_view op, const Names& operands,
    const std::vector<std::pair<std::string, Indices>>& run_time, const Parameters& parameters) {
  Name made = Each([&](GraphBuilder& builder, size_t k) {
    Parameters all = parameters;
    for (const auto& [argument, indices] : run_time) {
      std::vector<int64_t> values;
      values.reserve(indices.size());
      for (const Index& index : indices) values.push_back(index.values[k]);
      all[argument] = std::move(values);
    }
    return builder.Apply(op, operands, all);
  });
  GraphOperator form{StrCat("DATA_DEPENDENT_", op), {}, {made}, {}};
  for (const auto& [argument, indices] : run_time) {
    const Names names = NamesOf(indices);
    form.inputs.insert(form.inputs.end(), names.begin(), names.end());
  }
  differences_.replaced[made] = std::move(form);
  return made;
}

SymbolicBuilder::Name SymbolicBuilder::IndexedAtRunTime(std::string_view op, const Names& operands,
                                                        const Indices& indices, int64_t batches) {
  const Name list = StrCat("indices_", ++count_);
  const int64_t each = static_cast<int64_t>(indices.size()) / batches;
  Name made = Each([&](GraphBuilder& builder, size_t k) {
    Tensor values(DType::kI32, {batches, each});
    for (size_t i = 0; i < indices.size(); ++i) {
      values.SetInteger(static_cast<int64_t>(i), indices[i].values[k]);
    }
    Names all = operands;
    all.insert(all.begin() + 1, builder.Constant(list, values));
    return builder.Apply(op, all);
  });
  differences_.replaced[made] = {StrCat("DATA_DEPENDENT_", op), NamesOf(indices), {made}, {}};
  return made;
}

CaseDraft SymbolicBuilder::Finish(const Names& outputs) {
  std::vector<Assembly> made;
  CaseDraft draft;
  draft.failure = failure_;
  for (const auto& builder : builders_) {
    CaseDraft one = builder->Finish(outputs);
    if (draft.failure.ok()) draft.failure = one.failure;
    made.push_back(std::move(one.Whole()));
  }
  Assembly program = made.front();
  program.bindings = bindings_;
  for (size_t k = 0; k < made.size(); ++k) {
    if (k > 0) program.later_inputs.push_back(std::move(made[k].inputs));
    program.resolved.push_back(std::move(made[k].graph));
  }
  if (draft.failure.ok()) {
    draft.failure = MakeSymbolic(*choice_.setting.edition, differences_, program);
  }
  draft.whole = std::move(program);
  return draft;
}

}  // namespace cts
