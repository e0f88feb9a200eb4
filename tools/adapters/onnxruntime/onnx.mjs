// ONNX models in memory: the few messages of onnx.proto that a graph needs, in protobuf's encoding.

/** Element types: the number in TensorProto.DataType. */
export const FLOAT = 1;
export const INT8 = 3;
export const INT16 = 5;
export const INT32 = 6;
export const INT64 = 7;
export const BOOL = 9;
export const FLOAT16 = 10;

const IR_VERSION = 10;
const OPSET = 21;

const VARINT = 0,
  BYTES = 2,
  FIXED32 = 5; // wire types

function varint(value) {
  let rest = BigInt.asUintN(64, BigInt(value)); // negative numbers take all ten bytes
  const bytes = [];
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

const key = (field, wire) => varint((field << 3) | wire);
const integer = (field, value) => Buffer.concat([key(field, VARINT), varint(value)]);
const bytes = (field, value) => Buffer.concat([key(field, BYTES), varint(value.length), value]);
const text = (field, value) => bytes(field, Buffer.from(value, 'utf8'));

function float(field, value) {
  const data = Buffer.alloc(4);
  data.writeFloatLE(value);
  return Buffer.concat([key(field, FIXED32), data]);
}

const each = (encode, field, values) => values.map((value) => encode(field, value));

/** A number is an INT, {float} a FLOAT, a text a STRING, a list INTS, a Graph a GRAPH. */
function attribute(name, value) {
  let type, encoded;
  if (value instanceof Graph) [type, encoded] = [5, [bytes(6, value.encode())]];
  else if (Array.isArray(value)) [type, encoded] = [7, each(integer, 8, value)];
  else if (typeof value === 'string') [type, encoded] = [3, [text(4, value)]];
  else if (typeof value === 'object') [type, encoded] = [1, [float(2, value.float)]];
  else [type, encoded] = [2, [integer(3, value)]];
  return Buffer.concat([text(1, name), ...encoded, integer(20, type)]);
}

function valueInfo(name, type, shape) {
  const dims = shape.map((size) => bytes(1, integer(1, size)));
  const tensor = Buffer.concat([integer(1, type), bytes(2, Buffer.concat(dims))]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensor))]);
}

/** A graph under construction. A value is its name. */
export class Graph {
  #parts = [];
  #count;

  /** The graphs of one model share a counter, so that no name hides another. */
  constructor(parent) {
    this.#count = parent ? parent.#count : { value: 0 };
  }

  #fresh() {
    return `cts:${this.#count.value++}`;
  }

  /** A prefix that no other name of the model has. */
  prefix() {
    return `${this.#fresh()}:`;
  }

  /** Adds a node; its one output unless `outputs` names them. */
  node(operator, inputs, attributes = {}, outputs = [this.#fresh()]) {
    const encoded = Object.entries(attributes).map(([name, value]) =>
      bytes(5, attribute(name, value)),
    );
    this.#parts.push(
      bytes(
        1,
        Buffer.concat([
          ...each(text, 1, inputs),
          ...each(text, 2, outputs),
          text(4, operator),
          ...encoded,
        ]),
      ),
    );
    return outputs[0];
  }

  /** Adds a constant: little-endian data, row-major. */
  constant(type, shape, data, name = this.#fresh()) {
    this.#parts.push(
      bytes(
        5,
        Buffer.concat([
          ...each(integer, 1, shape),
          integer(2, type),
          text(8, name),
          bytes(9, data),
        ]),
      ),
    );
    return name;
  }

  /** A constant list of int64, or a scalar. */
  int64(values) {
    const list = [values].flat().map(BigInt);
    return this.constant(
      INT64,
      Array.isArray(values) ? [list.length] : [],
      Buffer.from(BigInt64Array.from(list).buffer),
    );
  }

  float(value) {
    return this.constant(FLOAT, [], Buffer.from(Float32Array.of(value).buffer));
  }

  input(name, type, shape) {
    this.#parts.push(bytes(11, valueInfo(name, type, shape)));
  }

  output(name, type, shape) {
    this.#parts.push(bytes(12, valueInfo(name, type, shape)));
  }

  /** What a value in between is declared to be. */
  declare(name, type, shape) {
    this.#parts.push(bytes(13, valueInfo(name, type, shape)));
  }

  encode() {
    return Buffer.concat([...this.#parts, text(2, 'graph')]);
  }
}

/** The bytes of a ModelProto. */
export function encodeModel(graph) {
  return Buffer.concat([
    integer(1, IR_VERSION),
    text(2, 'tensor-cts'),
    bytes(7, graph.encode()),
    bytes(8, Buffer.concat([text(1, ''), integer(2, OPSET)])),
  ]);
}
