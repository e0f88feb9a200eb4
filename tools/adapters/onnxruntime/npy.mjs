// .npy files as the contract has them: little-endian, row-major.
import { readFileSync, writeFileSync } from 'node:fs';

const MAGIC = '\x93NUMPY';

/** {descr, shape, data} of a file that tensor-cts wrote. */
export function readNpy(path) {
  const file = readFileSync(path);
  const header =
    file.subarray(0, 6).toString('latin1') === MAGIC && file[6] === 1
      ? file.subarray(10, 10 + file.readUInt16LE(8)).toString('latin1')
      : '';
  const parts = header.match(/'descr': '([^']+)', 'fortran_order': False, 'shape': \(([^)]*)\)/);
  if (!parts)
    throw new Error(`${path}: found another header than a version 1.0 .npy of tensor-cts`);
  const shape = parts[2]
    .split(',')
    .filter((size) => size.trim() !== '')
    .map(Number);
  // A copy of its own: typed arrays want aligned data.
  return {
    descr: parts[1],
    shape,
    data: Uint8Array.from(file.subarray(10 + file.readUInt16LE(8))),
  };
}

export function writeNpy(path, descr, shape, data) {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`;
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const length = Math.ceil((10 + dictionary.length + 1) / 64) * 64 - 10;
  const header = Buffer.alloc(10 + length, ' ');
  header.write(MAGIC, 0, 'latin1');
  header.set([1, 0], 6);
  header.writeUInt16LE(length, 8);
  header.write(`${dictionary.padEnd(length - 1)}\n`, 10, 'latin1');
  writeFileSync(path, Buffer.concat([header, data]));
}
