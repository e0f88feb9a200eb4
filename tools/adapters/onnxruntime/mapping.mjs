// TOSA 1.0 as ONNX: every operator whose meaning ONNX's operators have exactly.
//
// ONNX says nothing of NaN in Max, Clip, MaxPool, ReduceMax and ArgMax: there NaN is taken out
// before and put back after, as nan_mode wants. Glue is exact: layouts, widening casts, constants.
import * as onnx from './onnx.mjs';

/** The adapter's inability; what the implementation refuses is not thrown here. */
export class Unsupported extends Error {}

/** What can be handed over: ONNX's element type, how .npy calls it, the binding's name. */
export const TYPES = {
  bool: { onnx: onnx.BOOL, descr: '|b1', tensor: 'bool' },
  i8: { onnx: onnx.INT8, descr: '|i1', tensor: 'int8' },
  i16: { onnx: onnx.INT16, descr: '<i2', tensor: 'int16' },
  i32: { onnx: onnx.INT32, descr: '<i4', tensor: 'int32' },
  shape: { onnx: onnx.INT64, descr: '<i8', tensor: 'int64' },
  fp16: { onnx: onnx.FLOAT16, descr: '<f2', tensor: 'float16' },
  fp32: { onnx: onnx.FLOAT, descr: '<f4', tensor: 'float32' },
};

const isFloat = (type) => type === 'fp16' || type === 'fp32';

/** One TOSA operator, as the functions below see it. */
class Call {
  constructor(scope, operator) {
    this.scope = scope;
    this.graph = scope.graph;
    this.operator = operator.operator;
    this.attributes = operator.attributes ?? {};
    this.mapped = new Set(); // the attributes that have found their place
    this.tosaInputs = operator.inputs;
    this.inputs = operator.inputs.map((name) => scope.value(name));
    this.outputs = operator.outputs.map((name) => scope.value(name));
    this.inputTensors = operator.inputs.map((name) => scope.tensors.get(name));
    this.type = this.inputTensors[0]?.dtype;
    this.outputType = scope.tensors.get(operator.outputs[0])?.dtype;
  }

  shape(input) {
    return this.inputTensors[input].shape;
  }

  attribute(name) {
    if (!(name in this.attributes)) throw new Unsupported(`${this.operator} without ${name}`);
    this.mapped.add(name);
    return this.attributes[name];
  }

  /** An attribute that becomes something else than an attribute has to be of its kind. */
  integer(name) {
    const value = this.attribute(name);
    if (!Number.isInteger(value)) throw new Unsupported(`${name}: ${JSON.stringify(value)}`);
    return value;
  }

  integers(name) {
    const value = this.attribute(name);
    if (!Array.isArray(value)) throw new Unsupported(`${name}: ${JSON.stringify(value)}`);
    return value;
  }

  /** ONNX has no such attribute; these values say nothing that it would not do. */
  without(name, ...values) {
    if (!values.includes(this.attribute(name))) {
      throw new Unsupported(`${name}: ${JSON.stringify(this.attributes[name])}`);
    }
  }

  /** A sum in the operands' type: ONNX has no word for a wider one, and none against transforms. */
  withoutAccumulator() {
    const sums = { fp16: ['FP16'], fp32: ['FP32'], i8: ['INT32'] };
    this.without('acc_type', ...(sums[this.type] ?? []));
    if ('local_bound' in this.attributes) {
      this.without('local_bound', false, ...(this.type === 'i8' ? [true] : []));
    }
  }

  /** nan_mode, which ONNX's operators have not. */
  propagates() {
    const mode = this.attribute('nan_mode');
    if (mode !== 'PROPAGATE' && mode !== 'IGNORE')
      throw new Unsupported(`nan_mode: ${JSON.stringify(mode)}`);
    return mode === 'PROPAGATE';
  }

  /** A mapping with glue needs its operands; a single node takes what there is. */
  want(inputs, outputs = 1) {
    if (this.inputs.length !== inputs || this.outputs.length !== outputs) {
      throw new Unsupported(`${this.operator} of ${this.inputs.length} inputs`);
    }
  }

  wantRank(input, rank) {
    if (this.shape(input).length !== rank) {
      throw new Unsupported(`${this.operator} of rank ${this.shape(input).length}`);
    }
  }

  /** An operand that is handed over as a scalar, or not at all. */
  wantSingle(input, type) {
    const { name, dtype, shape } = this.inputTensors[input];
    if (dtype !== type || shape.length !== 1 || shape[0] !== 1) {
      throw new Unsupported(`${name} of ${dtype} and shape [${shape}]`);
    }
  }

  /** The elements of a constant operand. */
  constant(input) {
    const values = this.scope.values.get(this.tosaInputs[input]);
    if (values === undefined) throw new Unsupported(`${this.tosaInputs[input]} is no constant`);
    return values;
  }

  /** The elements of a constant shape. */
  sizes(input) {
    const values = this.constant(input);
    if (this.inputTensors[input].dtype !== 'shape')
      throw new Unsupported(`${this.tosaInputs[input]} is no shape`);
    return [...values];
  }

  /** Floating-point operators of ONNX have no zero point. */
  wantNoZeroPoint(...inputs) {
    for (const input of inputs) {
      this.wantSingle(input, this.type);
      if (this.constant(input).some((value) => Number(value) !== 0)) {
        throw new Unsupported(`${this.operator}: a zero point other than 0`);
      }
    }
  }

  /** The last node of a mapping; the ones before are made by add. */
  result(operator, inputs, attributes = {}) {
    this.graph.node(operator, inputs, attributes, this.outputs);
  }

  add(operator, inputs, attributes = {}) {
    return this.graph.node(operator, inputs, attributes);
  }

  cast(value, type) {
    return this.add('Cast', [value], { to: TYPES[type].onnx });
  }

  transpose(value, perm) {
    return this.add('Transpose', [value], { perm });
  }

  scalar(input) {
    this.wantSingle(input, this.inputTensors[input].dtype);
    return this.add('Reshape', [this.inputs[input], this.graph.int64([])]);
  }

  /** A floating-point constant of the operator's type. */
  number(value) {
    return this.cast(this.graph.float(value), this.type);
  }
}

// ---- Operators that ONNX has under another name ------------------------------------------------

/** All operands as they stand. `lacks`: types that TOSA has and ONNX's operator has not. */
const same =
  (operator, lacks = []) =>
  (call) => {
    for (const type of lacks) {
      if (call.type === type) throw new Unsupported(`ONNX's ${operator} has no ${type}`);
    }
    call.result(operator, call.inputs);
  };

const reduce = (operator) => (call) => {
  const axis = call.graph.int64([call.integer('axis')]);
  call.result(operator, [...call.inputs, axis], { keepdims: 1 });
};

// ---- NaN ---------------------------------------------------------------------------------------

/** Operands of Where: the largest or smallest by `most`, which sees numbers only. */
function extremum(call, value, max, propagate, most) {
  const nan = call.add('IsNaN', [value]);
  const numbers = call.add('Where', [nan, call.number(max ? -Infinity : Infinity), value]);
  // 1 where a window has a NaN (PROPAGATE), or where it has a number (IGNORE).
  const marks = call.cast(propagate ? nan : call.add('Not', [nan]), 'fp32');
  const has = call.add('Greater', [most(marks, true), call.graph.float(0)]);
  const result = most(numbers, max);
  const none = call.number(NaN);
  return propagate ? [has, none, result] : [has, result, none];
}

const reduceExtremum = (max) => (call) => {
  const operator = max ? 'ReduceMax' : 'ReduceMin';
  if (call.type === 'i16') throw new Unsupported(`ONNX's ${operator} has no i16`);
  if (!isFloat(call.type)) {
    call.propagates(); // says nothing of integers
    return reduce(operator)(call);
  }
  call.want(1);
  const axis = call.graph.int64([call.integer('axis')]);
  const most = (value, largest) =>
    call.add(largest ? 'ReduceMax' : 'ReduceMin', [value, axis], { keepdims: 1 });
  call.result('Where', extremum(call, call.inputs[0], max, call.propagates(), most));
};

const binaryExtremum = (operator) => (call) => {
  const propagate = call.propagates();
  if (!isFloat(call.type)) return call.result(operator, call.inputs);
  call.want(2);
  const [a, b] = call.inputs;
  const [nanA, nanB] = [a, b].map((value) => call.add('IsNaN', [value]));
  const either = call.add(operator, [a, b]);
  const rest = call.add('Where', [nanB, propagate ? b : a, either]);
  call.result('Where', [nanA, propagate ? a : b, rest]);
};

function clamp(call) {
  call.want(1);
  const [min, max] = ['min_val', 'max_val'].map((name) => {
    const value = isFloat(call.type) ? call.attribute(name) : call.integer(name);
    if (isFloat(call.type) && value.float === undefined)
      throw new Unsupported(`${name}: ${JSON.stringify(value)}`);
    if (isFloat(call.type))
      return call.number(Number(String(value.float).replace('inf', 'Infinity')));
    return call.cast(call.graph.int64(value), call.type);
  });
  const propagate = call.propagates();
  if (!isFloat(call.type)) return call.result('Clip', [call.inputs[0], min, max]);
  const nan = call.add('IsNaN', call.inputs);
  // Of NaN and min_val min_val is the larger, if NaN is ignored.
  const instead = propagate ? call.inputs[0] : min;
  call.result('Where', [nan, instead, call.add('Clip', [call.inputs[0], min, max])]);
}

function argmax(call) {
  call.want(1);
  const axis = call.integer('axis');
  const first = (value) => call.add('ArgMax', [value], { axis, keepdims: 0, select_last_index: 0 });
  const finish = (index) => call.result('Cast', [index], { to: onnx.INT32 });
  const propagate = call.propagates();
  if (!isFloat(call.type))
    return finish(first(call.type === 'i16' ? call.cast(call.inputs[0], 'i32') : call.inputs[0]));
  const nan = call.add('IsNaN', call.inputs);
  const numbers = call.add('Where', [nan, call.number(-Infinity), call.inputs[0]]);
  const most = (value) => call.add('ReduceMax', [value, call.graph.int64([axis])], { keepdims: 0 });
  // The first NaN, if there is one (PROPAGATE); the first number, if none is above -inf (IGNORE).
  const marks = call.cast(propagate ? nan : call.add('Not', [nan]), 'fp32');
  const special = propagate
    ? call.add('Greater', [most(marks), call.graph.float(0)])
    : call.add('Equal', [most(numbers), call.number(-Infinity)]);
  finish(call.add('Where', [special, first(marks), first(numbers)]));
}

// ---- Windows and sums of products: NHWC there, NCHW here ---------------------------------------

const toChannelsFirst = (rank) => [
  0,
  rank - 1,
  ...Array.from({ length: rank - 2 }, (_, i) => i + 1),
];
const toChannelsLast = (rank) => [0, ...Array.from({ length: rank - 2 }, (_, i) => i + 2), 1];

/** [top, bottom, left, right, ...] as ONNX has it: all that begin, then all that end. */
const pads = (list) => [
  ...list.filter((_, i) => i % 2 === 0),
  ...list.filter((_, i) => i % 2 === 1),
];

function maxPool(call) {
  call.want(1);
  call.wantRank(0, 4);
  if (call.type === 'i16') throw new Unsupported("ONNX's MaxPool has no i16");
  const attributes = {
    kernel_shape: call.attribute('kernel'),
    strides: call.attribute('stride'),
    pads: pads(call.integers('pad')),
  };
  const value = call.transpose(call.inputs[0], toChannelsFirst(4));
  const most = (window) => call.add('MaxPool', [window], attributes);
  const propagate = call.propagates();
  const result = isFloat(call.type)
    ? call.add('Where', extremum(call, value, true, propagate, most))
    : most(value);
  call.result('Transpose', [result], { perm: toChannelsLast(4) });
}

function averagePool(call) {
  call.want(3);
  call.wantRank(0, 4);
  if (!isFloat(call.type)) throw new Unsupported("ONNX's AveragePool has no integers");
  call.wantNoZeroPoint(1, 2);
  call.withoutAccumulator();
  const value = call.transpose(call.inputs[0], toChannelsFirst(4));
  const result = call.add('AveragePool', [value], {
    kernel_shape: call.attribute('kernel'),
    strides: call.attribute('stride'),
    pads: pads(call.integers('pad')),
    count_include_pad: 0,
  });
  call.result('Transpose', [result], { perm: toChannelsLast(4) });
}

/** A convolution of channels-first operands, and the bias. */
function convolve(call, operator, input, weight, channels, attributes) {
  const bias = call.inputs[2];
  call.wantRank(2, 1);
  call.withoutAccumulator();
  const perm = toChannelsLast(call.shape(0).length);
  if (isFloat(call.type)) {
    call.wantNoZeroPoint(3, 4);
    // ONNX has no bias of one element.
    const all = call.add('Expand', [bias, call.graph.int64([channels])]);
    call.result('Transpose', [call.add(operator, [input, weight, all], attributes)], { perm });
    return;
  }
  if (operator !== 'Conv') throw new Unsupported(`ONNX's ${operator} has no integers`);
  if (call.type !== 'i8' || call.inputTensors[1].dtype !== 'i8')
    throw new Unsupported('ConvInteger has i8 only');
  const sum = call.add('ConvInteger', [input, weight, call.scalar(3), call.scalar(4)], attributes);
  call.result('Add', [call.transpose(sum, perm), bias]);
}

const convolution = (rank) => (call) => {
  call.want(5);
  call.wantRank(0, rank);
  call.wantRank(1, rank);
  const perm = toChannelsFirst(rank);
  convolve(
    call,
    'Conv',
    call.transpose(call.inputs[0], perm),
    call.transpose(call.inputs[1], perm),
    call.shape(1)[0],
    {
      kernel_shape: call.shape(1).slice(1, -1),
      pads: pads(call.integers('pad')),
      strides: call.attribute('stride'),
      dilations: call.attribute('dilation'),
    },
  );
};

function depthwise(call) {
  call.want(5);
  call.wantRank(0, 4);
  call.wantRank(1, 4);
  const [height, width, channels, multiplier] = call.shape(1);
  const weight = call.add(
    'Reshape',
    [
      call.transpose(call.inputs[1], [2, 3, 0, 1]),
      call.graph.int64([channels * multiplier, 1, height, width]),
    ],
    { allowzero: 1 },
  );
  convolve(
    call,
    'Conv',
    call.transpose(call.inputs[0], toChannelsFirst(4)),
    weight,
    channels * multiplier,
    {
      kernel_shape: [height, width],
      pads: pads(call.integers('pad')),
      strides: call.attribute('stride'),
      dilations: call.attribute('dilation'),
      group: channels,
    },
  );
}

function transposeConvolution(call) {
  call.want(5);
  call.wantRank(0, 4);
  call.wantRank(1, 4);
  const outPad = call.integers('out_pad');
  // ONNX's pads take rows and columns away from the result; out_pad also adds some.
  if (outPad.some((size) => size > 0))
    throw new Unsupported("out_pad above 0: ONNX's ConvTranspose only takes away");
  convolve(
    call,
    'ConvTranspose',
    call.transpose(call.inputs[0], toChannelsFirst(4)),
    call.transpose(call.inputs[1], [3, 0, 1, 2]),
    call.shape(1)[0],
    {
      kernel_shape: call.shape(1).slice(1, 3),
      pads: pads(outPad.map((size) => -size)),
      strides: call.attribute('stride'),
    },
  );
}

function matmul(call) {
  call.want(4);
  let [a, b] = call.inputs;
  if (isFloat(call.type)) {
    call.wantNoZeroPoint(2, 3);
    if (call.type === 'fp16' && call.outputType === 'fp32')
      [a, b] = [a, b].map((value) => call.cast(value, 'fp32'));
    return call.result('MatMul', [a, b]);
  }
  if (call.type !== 'i8') throw new Unsupported('MatMulInteger has i8 only');
  call.result('MatMulInteger', [a, b, call.scalar(2), call.scalar(3)]);
}

// ---- Elementwise -------------------------------------------------------------------------------

function multiply(call) {
  call.want(3);
  call.wantSingle(2, 'i8');
  if (call.constant(2)[0] !== 0) throw new Unsupported('MUL with a shift');
  const narrow =
    ['i8', 'i16'].includes(call.type) &&
    call.inputTensors[1].dtype === call.type &&
    call.outputType === 'i32';
  call.result(
    'Mul',
    call.inputs.slice(0, 2).map((value) => (narrow ? call.cast(value, 'i32') : value)),
  );
}

function negate(call) {
  call.want(3);
  if (call.type === 'i8' || call.type === 'i16')
    throw new Unsupported("ONNX's Neg does not saturate");
  call.wantNoZeroPoint(1, 2);
  call.result('Neg', [call.inputs[0]]);
}

function cast(call) {
  call.want(1);
  if (isFloat(call.type) && !isFloat(call.outputType)) {
    throw new Unsupported(
      "ONNX's Cast of floating point to integers cuts off and does not saturate",
    );
  }
  call.result('Cast', call.inputs, { to: TYPES[call.outputType].onnx });
}

// ---- Data layout -------------------------------------------------------------------------------

function pad(call) {
  call.want(3);
  const padding = call.graph.int64(pads(call.sizes(1)));
  call.result('Pad', [call.inputs[0], padding, call.scalar(2)], { mode: 'constant' });
}

function slice(call) {
  call.want(3);
  const [starts, sizes] = [call.sizes(1), call.sizes(2)];
  if (starts.length !== sizes.length) throw new Unsupported('start and size of different lengths');
  const ends = starts.map((start, i) => start + sizes[i]);
  call.result('Slice', [call.inputs[0], call.inputs[1], call.graph.int64(ends)]);
}

function reverse(call) {
  call.want(1);
  const list = (value) => call.graph.int64([value]);
  const axis = call.integer('axis');
  // From the last element to before the first.
  call.result('Slice', [call.inputs[0], list(-1), list(-(2n ** 63n)), list(axis), list(-1)]);
}

/** The indices as ONNX has them: int64, one more dimension. */
function indicesOf(call) {
  if (call.inputTensors[1].dtype !== 'i32')
    throw new Unsupported(`indices of ${call.inputTensors[1].dtype}`);
  return call.add('Unsqueeze', [call.cast(call.inputs[1], 'shape'), call.graph.int64([-1])]);
}

function gather(call) {
  call.want(2);
  call.result('GatherND', [call.inputs[0], indicesOf(call)], { batch_dims: 1 });
}

function scatter(call) {
  call.want(3);
  // The indices are repeated for every channel, which must not make them fit.
  if (call.shape(1).join() !== call.shape(2).slice(0, 2).join())
    throw new Unsupported('indices that do not fit input');
  const all = call.add('Expand', [indicesOf(call), call.graph.int64(call.shape(2))]);
  call.result('ScatterElements', [call.inputs[0], all, call.inputs[2]], { axis: 1 });
}

// ---- Control flow ------------------------------------------------------------------------------

function conditional(call) {
  const [condition, ...inputs] = call.inputs;
  const branch = (name) => {
    const graph = new onnx.Graph(call.graph);
    call.scope.inline(call.attribute(name), graph, inputs).handOut();
    return graph;
  };
  call.result('If', [condition], {
    then_branch: branch('then_graph'),
    else_branch: branch('else_graph'),
  });
}

function loop(call) {
  // Before the first iteration and after each: name, type and shape.
  const condition = (graph, inputs) => {
    const inner = call.scope.inline(call.attribute('cond_graph'), graph, inputs);
    return inner.info(inner.block.outputs[0]);
  };
  const [first, ...kind] = condition(call.graph, call.inputs);
  const body = new onnx.Graph(call.graph);
  const prefix = body.prefix();
  const variables = call.inputs.map((_, i) => `${prefix}${i}`);
  body.input(`${prefix}iteration`, onnx.INT64, []);
  body.input(`${prefix}condition`, ...kind);
  variables.forEach((name, i) =>
    body.input(name, TYPES[call.inputTensors[i].dtype].onnx, call.shape(i)),
  );
  const inner = call.scope.inline(call.attribute('body_graph'), body, variables);
  body.output(
    ...condition(
      body,
      inner.block.outputs.map((name) => inner.value(name)),
    ),
  );
  inner.handOut();
  call.result('Loop', ['', first, ...call.inputs], { body });
}

// ------------------------------------------------------------------------------------------------

const MAPPINGS = {
  ABS: same('Abs'),
  ADD: same('Add'),
  ARGMAX: argmax,
  AVG_POOL2D: averagePool,
  BITWISE_AND: same('BitwiseAnd'),
  BITWISE_NOT: same('BitwiseNot'),
  BITWISE_OR: same('BitwiseOr'),
  BITWISE_XOR: same('BitwiseXor'),
  CAST: cast,
  CEIL: same('Ceil'),
  CLAMP: clamp,
  COND_IF: conditional,
  CONCAT: (call) => call.result('Concat', call.inputs, { axis: call.attribute('axis') }),
  CONV2D: convolution(4),
  CONV3D: convolution(5),
  COS: same('Cos'),
  DEPTHWISE_CONV2D: depthwise,
  EQUAL: same('Equal'),
  ERF: same('Erf'),
  EXP: same('Exp'),
  FLOOR: same('Floor'),
  GATHER: gather,
  GREATER: same('Greater'),
  GREATER_EQUAL: same('GreaterOrEqual'),
  IDENTITY: same('Identity'),
  INTDIV: same('Div'),
  LOG: same('Log'),
  LOGICAL_AND: same('And'),
  LOGICAL_NOT: same('Not'),
  LOGICAL_OR: same('Or'),
  LOGICAL_XOR: same('Xor'),
  MATMUL: matmul,
  MAXIMUM: binaryExtremum('Max'),
  MAX_POOL2D: maxPool,
  MINIMUM: binaryExtremum('Min'),
  MUL: multiply,
  NEGATE: negate,
  PAD: pad,
  POW: same('Pow'),
  RECIPROCAL: same('Reciprocal'),
  REDUCE_ALL: reduce('ReduceMin'),
  REDUCE_ANY: reduce('ReduceMax'),
  REDUCE_MAX: reduceExtremum(true),
  REDUCE_MIN: reduceExtremum(false),
  REDUCE_PRODUCT: reduce('ReduceProd'),
  REDUCE_SUM: reduce('ReduceSum'),
  RESHAPE: (call) => call.result('Reshape', call.inputs, { allowzero: 1 }),
  REVERSE: reverse,
  SCATTER: scatter,
  SELECT: same('Where'),
  SIGMOID: same('Sigmoid'),
  SIN: same('Sin'),
  SLICE: slice,
  SUB: same('Sub'),
  TANH: same('Tanh'),
  TILE: same('Tile'),
  TRANSPOSE: (call) => call.result('Transpose', call.inputs, { perm: call.attribute('perms') }),
  TRANSPOSE_CONV2D: transposeConvolution,
  WHILE_LOOP: loop,
};

const WHY_NOT = {
  ARITHMETIC_RIGHT_SHIFT: "ONNX's BitShift is for unsigned integers",
  CLZ: 'ONNX has none',
  CUSTOM: 'is not ONNX',
  FFT2D: "ONNX's DFT has one dimension",
  LOGICAL_LEFT_SHIFT: "ONNX's BitShift is for unsigned integers",
  LOGICAL_RIGHT_SHIFT: "ONNX's BitShift is for unsigned integers",
  RESCALE: "ONNX's quantization is by floating-point scales",
  RESIZE: "ONNX's Resize has other positions and sizes",
  RFFT2D: "ONNX's DFT has one dimension",
  RSQRT: 'ONNX has none, and the reciprocal of Sqrt rounds twice',
  TABLE: 'ONNX has none',
};

/** The names of one block within an ONNX graph. */
class Scope {
  constructor(model, region, graph, prefix) {
    const block = model.regions.get(region)?.blocks[0];
    if (block === undefined) throw new Unsupported(`region ${region}`);
    Object.assign(this, { model, block, graph, prefix });
    this.tensors = new Map(block.tensors.map((tensor) => [tensor.name, tensor]));
    this.values = new Map();
    for (const tensor of this.tensors.values()) {
      if (!(tensor.dtype in TYPES)) throw new Unsupported(`type ${tensor.dtype} (${tensor.name})`);
      if (tensor.values === undefined) continue;
      const data = model.load(tensor);
      this.values.set(tensor.name, data);
      const [name, type, shape] = this.info(tensor.name);
      graph.constant(type, shape, Buffer.from(data.buffer, data.byteOffset, data.byteLength), name);
    }
  }

  value(name) {
    return this.prefix + name;
  }

  /** What ONNX declares of a tensor. */
  info(name) {
    const { dtype, shape } = this.tensors.get(name);
    return [this.value(name), TYPES[dtype].onnx, shape];
  }

  map() {
    for (const operator of this.block.operators) {
      if (operator.operator === 'CONST' || operator.operator === 'CONST_SHAPE') {
        if (operator.inputs.length + operator.outputs.length !== 1)
          throw new Unsupported(`${operator.operator} with operands`);
        continue;
      }
      const map = MAPPINGS[operator.operator];
      if (map === undefined) {
        throw new Unsupported(
          `${operator.operator}: ${WHY_NOT[operator.operator] ?? 'no mapping'}`,
        );
      }
      const call = new Call(this, operator);
      map(call);
      for (const name of Object.keys(call.attributes)) {
        if (!call.mapped.has(name)) throw new Unsupported(`${operator.operator} with ${name}`);
      }
      for (const name of operator.outputs) {
        if (this.prefix !== MAIN || !this.block.outputs.includes(name))
          this.graph.declare(...this.info(name));
      }
    }
  }

  /** Puts the block of a region into `graph`, its inputs being these values; gives its outputs. */
  inline(region, graph, inputs) {
    const inner = new Scope(this.model, region, graph, graph.prefix());
    if (inner.block.inputs.length !== inputs.length)
      throw new Unsupported(`${region} of other inputs`);
    inputs.forEach((value, i) => {
      const input = inner.info(inner.block.inputs[i]);
      graph.node('Identity', [value], {}, [input[0]]);
      graph.declare(...input);
    });
    inner.map();
    return inner;
  }

  /** The block's outputs become those of `graph`, each with a name of its own: ONNX does not say that they may share one. */
  handOut() {
    this.block.outputs.forEach((output, i) => {
      const [name, ...kind] = this.info(output);
      const again = this.block.outputs.indexOf(output) < i;
      this.graph.output(again ? this.graph.node('Identity', [name]) : name, ...kind);
    });
  }
}

const MAIN = 't:';

/** The name of a graph input or output in the model. */
export const nameOf = (name) => MAIN + name;

/**
 * The ONNX graph of a case's graph. load(tensor) gives a constant's elements as a typed array.
 * Throws Unsupported.
 */
export function mapGraph({ regions }, load) {
  const model = { regions: new Map(regions.map((region) => [region.name, region])), load };
  const graph = new onnx.Graph();
  const scope = new Scope(model, regions[0].name, graph, MAIN);
  scope.block.inputs.forEach((name) => graph.input(...scope.info(name)));
  scope.block.outputs.forEach((name) => graph.output(...scope.info(name)));
  scope.map();
  return graph;
}
