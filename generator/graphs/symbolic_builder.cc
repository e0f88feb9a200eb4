#include "generator/graphs/symbolic_builder.h"

#include <algorithm>

#include "generator/ops/domain.h"
#include "reference/graph/symbols.h"

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
  declared_[name] = dimensions;
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
  Index index{StrCat("index_", helpers_.size()), std::move(values)};
  GraphOperator helper{std::string(op), {}, {index.name}, {{attribute, argument}}};
  if (!input.empty()) helper.inputs.push_back(input);
  helpers_.push_back(std::move(helper));
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
  replaced_[name] = {"DIMS_TO_TENSOR", NamesOf(dims), {name}, {}};
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
  replaced_[name] = {"IOTA", NamesOf(range), {name}, {}};
  forced_[name] = {true};
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
        tensor.SetFloat(i, static_cast<double>(value));
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
  replaced_[made] = {"EXPAND_DIMS", {tensor}, {made}, {{"indices", indices}}};
  return made;
}

SymbolicBuilder::Name SymbolicBuilder::CollapseDims(const Name& tensor,
                                                    const std::vector<int64_t>& indices) {
  Name made = Each([&](GraphBuilder& builder, size_t) {
    Shape shape = builder.ShapeOf(tensor);
    for (auto i = indices.rbegin(); i != indices.rend(); ++i) shape.erase(shape.begin() + *i);
    return builder.Apply("RESHAPE", {tensor}, {{"shape", shape}});
  });
  replaced_[made] = {"COLLAPSE_DIMS", {tensor}, {made}, {{"indices", indices}}};
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
  forced_[made] = std::move(symbols);
  replaced_[made] = std::move(reshape);
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
  replaced_[made] = std::move(form);
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
  replaced_[made] = {StrCat("DATA_DEPENDENT_", op), NamesOf(indices), {made}, {}};
  return made;
}

CaseDraft SymbolicBuilder::Finish(const Names& outputs) {
  std::vector<Assembly> made;
  CaseDraft draft;
  draft.failure = failure_;
  for (const auto& builder : builders_) {
    CaseDraft one = builder->Finish(outputs);
    if (draft.failure.ok()) draft.failure = one.failure;
    made.push_back(*std::move(one.whole));
  }
  Assembly program = made.front();
  program.bindings = bindings_;
  for (size_t k = 0; k < made.size(); ++k) {
    if (k > 0) program.later_inputs.push_back(std::move(made[k].inputs));
    program.resolved.push_back(std::move(made[k].graph));
  }
  draft.whole = std::move(program);
  if (!draft.failure.ok()) return draft;

  Block& block = draft.whole->graph.main();
  const std::vector<Graph>& graphs = draft.whole->resolved;
  const auto bug = [&](const std::string& what) { draft.failure = absl::InternalError(what); };

  // Operators: those that only the program has, in place of the operators that they become.
  for (GraphOperator& op : block.operators) {
    const auto found = op.outputs.empty() ? replaced_.end() : replaced_.find(op.outputs[0]);
    if (found == replaced_.end()) continue;
    GraphOperator other = found->second;
    if (other.op.starts_with("DATA_DEPENDENT_")) {
      // The operands that are tensors, without those that the index values replace.
      const OperatorSpec& spec = *choice_.setting.edition->FindOperator(op.op);
      Names tensors;
      size_t next = 0;
      for (const ArgumentSpec& argument : spec.arguments) {
        if (argument.category != ArgumentCategory::kInput) continue;
        const Name& operand = op.inputs[next++];
        if (argument.type != "shape_t" && argument.name != "indices") tensors.push_back(operand);
      }
      other.inputs.insert(other.inputs.begin(), tensors.begin(), tensors.end());
      other.attributes = op.attributes;
      for (const char* name : {"pad", "out_pad", "stride", "dilation"}) {
        other.attributes.erase(name);
      }
    }
    op = std::move(other);
  }
  // Index values are placed as soon as the tensors exist from which they are taken.
  std::set<std::string> defined(block.inputs.begin(), block.inputs.end());
  std::vector<bool> placed(helpers_.size(), false);
  std::vector<GraphOperator> operators;
  const auto place = [&] {
    for (size_t i = 0; i < helpers_.size(); ++i) {
      const GraphOperator& helper = helpers_[i];
      if (placed[i] || (!helper.inputs.empty() && !defined.contains(helper.inputs[0]))) continue;
      placed[i] = true;
      operators.push_back(helper);
      block.tensors.push_back({helper.outputs[0], DType::kShape, {1}, nullptr});
    }
  };
  place();
  for (GraphOperator& op : block.operators) {
    defined.insert(op.outputs.begin(), op.outputs.end());
    operators.push_back(std::move(op));
    place();
  }
  block.operators = std::move(operators);

  // Constants that nobody reads any more.
  std::set<std::string> read(block.outputs.begin(), block.outputs.end());
  for (const GraphOperator& op : block.operators) read.insert(op.inputs.begin(), op.inputs.end());
  std::erase_if(block.operators, [&](const GraphOperator& op) {
    return (op.op == "CONST" || op.op == "CONST_SHAPE") && !read.contains(op.outputs[0]);
  });
  std::set<std::string> kept(block.inputs.begin(), block.inputs.end());
  for (const GraphOperator& op : block.operators) kept.insert(op.outputs.begin(), op.outputs.end());
  std::erase_if(block.tensors,
                [&](const GraphTensor& tensor) { return !kept.contains(tensor.name); });

  // Dimensions: one that differs between bindings is a symbol.
  for (GraphTensor& tensor : block.tensors) {
    const bool is_input =
        std::find(block.inputs.begin(), block.inputs.end(), tensor.name) != block.inputs.end();
    if (replaced_.contains(tensor.name)) tensor.values = nullptr;
    if (tensor.dtype == DType::kShape && tensor.values == nullptr) continue;
    for (size_t k = 1; k < graphs.size(); ++k) {
      const GraphTensor* other = graphs[k].main().Find(tensor.name);
      if (other == nullptr || other->shape.size() != tensor.shape.size()) {
        bug(StrCat(tensor.name, ": not the same tensor for every binding"));
        return draft;
      }
      if (tensor.values != nullptr && *tensor.values != *other->values) {
        bug(StrCat(tensor.name, ": not the same constant for every binding"));
        return draft;
      }
    }
    std::vector<std::string> symbols(tensor.shape.size());
    const auto declared = declared_.find(tensor.name);
    const auto forced = forced_.find(tensor.name);
    for (size_t i = 0; i < symbols.size(); ++i) {
      std::vector<int64_t> sizes;
      sizes.reserve(graphs.size());
      for (const Graph& graph : graphs) sizes.push_back(graph.main().Find(tensor.name)->shape[i]);
      const bool differ =
          std::count(sizes.begin(), sizes.end(), sizes[0]) != static_cast<int64_t>(sizes.size());
      if (declared != declared_.end()) {
        const auto* symbol = std::get_if<std::string>(&declared->second[i]);
        if (symbol != nullptr) symbols[i] = *symbol;
      } else if (is_input && differ) {
        for (const auto& [symbol, value] : bindings_[0]) {
          bool same = value == sizes[0];
          for (size_t k = 1; k < sizes.size(); ++k) same &= bindings_[k].at(symbol) == sizes[k];
          if (same) symbols[i] = symbol;
        }
        if (symbols[i].empty()) {
          bug(StrCat(tensor.name, ": dimension ", i, " follows no symbol"));
          return draft;
        }
      } else if (differ || (forced != forced_.end() && forced->second[i])) {
        // The dimension gets a symbol of its own. Whoever runs the program has to find out its
        // value.
        symbols[i] = StrCat(tensor.name, "_", i);
      }
      if (!symbols[i].empty()) tensor.shape[i] = -1;
    }
    if (std::any_of(symbols.begin(), symbols.end(),
                    [](const std::string& symbol) { return !symbol.empty(); })) {
      tensor.symbols = std::move(symbols);
    }
  }
  // A symbol that no input has is no part of the binding.
  const std::set<std::string> symbols = InputSymbols(draft.whole->graph);
  for (Binding& binding : draft.whole->bindings) {
    std::erase_if(binding, [&](const auto& entry) { return !symbols.contains(entry.first); });
  }
  // Attributes have to be the same, too.
  for (const GraphOperator& op : block.operators) {
    for (const Graph& graph : graphs) {
      for (const GraphOperator& other : graph.main().operators) {
        if (other.outputs != op.outputs || replaced_.contains(op.outputs[0])) continue;
        if (other.attributes == op.attributes && other.inputs == op.inputs) continue;
        bug(StrCat(op.op, ": not the same for every binding"));
        return draft;
      }
    }
  }
  return draft;
}

}  // namespace cts
