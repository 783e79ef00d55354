// SPDX-License-Identifier: Apache-2.0
// usage: node --no-warnings run.mjs PROGRAM [ARGUMENT...]
//
// Runs a WebAssembly program over WASI preview 1: its arguments, all files, the current folder, standard input and
// output and the exit code are the host's. A trap of the program ends with one line and exit code 1.

import {readFile} from 'node:fs/promises';
import {WASI} from 'node:wasi';

const [, , program, ...args] = process.argv;
if (program === undefined) {
  console.error('usage: node --no-warnings run.mjs PROGRAM [ARGUMENT...]');
  process.exit(2);
}
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...args],
  // The C library cannot tell a second folder '.' from '/': programs enter the current folder by themselves.
  env: {PWD: process.cwd()},
  preopens: {'/': '/'},
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi.wasiImport});
try {
  process.exitCode = wasi.start(instance);
} catch (error) {
  if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
  console.log(`lutra1 fault ${error.message}`);
  process.exitCode = 1;
}
