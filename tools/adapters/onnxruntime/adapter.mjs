// Tensor CTS adapter for ONNX Runtime: runs cases as ONNX models on the CPU.
//
// One case: adapter.mjs CASE_DIR RESULT_DIR. Many: adapter.mjs --worker, see ../README.md.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import util from 'node:util';

import { TYPES, Unsupported, mapGraph, nameOf } from './mapping.mjs';
import { encodeModel } from './onnx.mjs';
import { readNpy, writeNpy } from './npy.mjs';

const BATCH = 32;
const EXIT_ENVIRONMENT = 2;
const HERE = dirname(fileURLToPath(import.meta.url));
// All code that is the adapter's: what else stands beside it costs no run.
const CODE = ['adapter.mjs', 'mapping.mjs', 'npy.mjs', 'onnx.mjs'].map((name) => join(HERE, name));
const OPTIMIZATIONS = ['all', 'extended', 'basic', 'disabled'];
const USAGE =
  `usage: adapter.mjs [--optimization ${OPTIMIZATIONS.join('|')}] [--threads N] ` +
  '(--worker | CASE_DIR RESULT_DIR)';

class EnvironmentFault extends Error {}

/** What the runtime refused, in its own words. */
class Refusal extends Error {}

/**
 * Waits for the runtime. Only what its native side threw is a refusal: plain Errors out of the
 * binding's calls into it, which do not say that the adapter called it wrongly. Everything else is
 * a bug, here or in the binding, and no answer.
 */
async function ask(promise) {
  try {
    return await promise;
  } catch (error) {
    const [place] = /^ +at .*$/m.exec(error.stack) ?? [''];
    const misused = /protobuf parsing failed|Model data pointer|^Unsupported data type/;
    const native = error.constructor === Error && /[/\\]onnxruntime-node[/\\]dist[/\\]/.test(place);
    throw native && !misused.test(error.message) ? new Refusal(error.message) : error;
  }
}

function loadRuntime() {
  try {
    // require also looks into NODE_PATH, import does not.
    const runtime = createRequire(import.meta.url)('onnxruntime-node');
    runtime.env.logLevel = 'fatal'; // errors are thrown as well
    return runtime;
  } catch (error) {
    // One line: run shows the last one of the log.
    throw new EnvironmentFault(
      `onnxruntime-node: ${error.message.split('\n')[0]}; install it: ` +
        `npm ci --ignore-scripts --prefix ${HERE}`,
    );
  }
}

function makeAdapter(runtime, options) {
  const float16 = globalThis.Float16Array ?? Uint16Array;
  const arrays = {
    bool: Uint8Array,
    i8: Int8Array,
    i16: Int16Array,
    i32: Int32Array,
    shape: BigInt64Array,
    fp16: float16,
    fp32: Float32Array,
  };
  const settings = {
    executionProviders: ['cpu'],
    graphOptimizationLevel: options.optimization,
    intraOpNumThreads: Number(options.threads),
    interOpNumThreads: 1,
    logSeverityLevel: 4,
    // Otherwise a declared shape is believed.
    extra: { session: { strict_shape_type_inference: '1' } },
  };

  const load = (path, { dtype, shape }) => {
    const { descr, data, shape: found } = readNpy(path);
    if (descr !== TYPES[dtype].descr || found.join() !== shape.join()) {
      const expected = TYPES[dtype].descr;
      throw new Error(
        `${path}: found ${descr} of shape [${found}], expected ${expected} of shape [${shape}]`,
      );
    }
    return new arrays[dtype](data.buffer);
  };

  /** Throws Unsupported, or a fault of the files. */
  function prepare(caseDir, resultDir) {
    const bundle = JSON.parse(readFileSync(join(caseDir, 'case.json'), 'utf8'));
    if (bundle.edition !== 'tosa-1.0') throw new Unsupported(`edition ${bundle.edition}`);
    const block = bundle.graph.regions[0].blocks[0];
    const tensors = new Map(block.tensors.map((tensor) => [tensor.name, tensor]));
    const model = encodeModel(
      mapGraph(bundle.graph, (tensor) => load(join(caseDir, tensor.values), tensor)),
    );
    const feedsOf = ({ inputs }) => {
      const feeds = {};
      for (const name of block.inputs) {
        const { dtype, shape } = tensors.get(name);
        const data = load(join(caseDir, inputs[name]), tensors.get(name));
        feeds[nameOf(name)] = new runtime.Tensor(TYPES[dtype].tensor, data, shape);
      }
      return feeds;
    };
    const executions = [bundle, ...(bundle.later_executions ?? [])].map(feedsOf);
    return { block, tensors, model, executions, resultDir };
  }

  /** Throws a Refusal, or a bug. */
  async function execute({ block, tensors, model, executions, resultDir }) {
    const session = await ask(runtime.InferenceSession.create(model, settings));
    try {
      // One session for all executions: what it keeps of one shows in the next.
      for (const [k, feeds] of executions.entries()) {
        const results = await ask(session.run(feeds));
        for (const name of block.outputs) {
          const { data, dims } = results[nameOf(name)];
          const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
          writeNpy(
            join(resultDir, `${basename(name)}${k === 0 ? '' : `.${k}`}.npy`),
            TYPES[tensors.get(name).dtype].descr,
            dims,
            bytes,
          );
        }
      }
    } finally {
      await session.release();
    }
  }

  return async (caseDir, resultDir) => {
    try {
      await execute(prepare(caseDir, resultDir));
      return { status: 'ok' };
    } catch (error) {
      const { message } = error;
      if (error instanceof Unsupported) return { status: 'unsupported', message };
      if (!(error instanceof Refusal)) throw error;
      // An operator of ONNX for which the runtime has no code.
      const missing = message.includes('Could not find an implementation for');
      return { status: missing ? 'unsupported' : 'error', message };
    }
  };
}

const print = (line) =>
  new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(line)}\n`, resolve);
  });

async function main() {
  if (!util.parseArgs) {
    throw new EnvironmentFault(
      `Node.js ${process.version}: too old, expected 18.3 or later; install it: apt-get install nodejs`,
    );
  }
  let parsed;
  try {
    parsed = util.parseArgs({
      allowPositionals: true,
      options: {
        worker: { type: 'boolean', default: false },
        optimization: { type: 'string', default: 'all' },
        threads: { type: 'string', default: '1' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new EnvironmentFault(`${error.message}\n${USAGE}`);
  }
  const { values: options, positionals } = parsed;
  if (options.help) return console.log(USAGE);
  if (
    positionals.length !== (options.worker ? 0 : 2) ||
    !OPTIMIZATIONS.includes(options.optimization) ||
    !/^[1-9]\d{0,3}$/.test(options.threads)
  ) {
    throw new EnvironmentFault(USAGE);
  }
  const runtime = loadRuntime();
  const adapter = makeAdapter(runtime, options);
  if (!options.worker) return print(await adapter(...positionals));
  const version = runtime.env.versions.node;
  await print({ worker: 'onnxruntime', version, batch: BATCH, code: CODE });
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const request = JSON.parse(line);
    await print({ case: request.case, ...(await adapter(request.case_dir, request.result_dir)) });
  }
}

try {
  await main();
} catch (error) {
  // run shows the last line.
  const text = error instanceof EnvironmentFault ? '' : `${error.stack}\n${error.name}: `;
  process.stderr.write(`${text}${error.message}\n`);
  // At once: an open standard input would keep the process.
  process.exit(error instanceof EnvironmentFault ? EXIT_ENVIRONMENT : 1);
}
