// SPDX-License-Identifier: Apache-2.0
// litert_js_adapter.mjs [--package FOLDER] [--wasm compat|relaxed]: LiteRT.js, the npm package @litertjs/core, as a
// runtime of the conformance suite. `./dev runtimes` puts the package where it is looked for.
//
// The classes of the package have float32, int32 and uint8 tensors only; so the module of WebAssembly below them is
// spoken to. `relaxed` has instructions whose results depend on the processor, and asks for Node 21 or later.
//
// Exit codes: 0 success, 2 bad usage, 3 no such package; anything else: the module ended, which is a crash.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const NAME = 'litert_js_adapter';
const FILES = { compat: 'litert_wasm_compat_internal.js', relaxed: 'litert_wasm_internal.js' };
const DEFAULT_PACKAGE = '../../../build/runtimes/node_modules/@litertjs/core';
// What the runtime says where it lacks something; else it found the model to be wrong.
const LACKS = /didn't find op|unsupported|not (yet )?supported|only supports|unresolved/i;

function leave(code, why) {
  console.error(`${NAME}: ${why}`);
  process.exit(code);
}

function readOptions() {
  const beside = fileURLToPath(new URL(DEFAULT_PACKAGE, import.meta.url));
  const options = { package: { type: 'string', default: beside }, wasm: { type: 'string', default: 'compat' } };
  try {
    const { values } = parseArgs({ options });
    if (!(values.wasm in FILES)) throw new Error(`--wasm: found ${values.wasm}, required: compat or relaxed`);
    return values;
  } catch (error) {
    leave(2, error.message);
  }
}

// What the runtime has said since the case began. It goes on after some failures as if there were none, and its
// outputs are whatever was in memory: a line that begins with ERROR is a failure.
const words = [];

function throwIfItFailed() {
  const errors = words.filter((line) => line.startsWith('ERROR'));
  if (errors.length > 0) throw new Error(errors.join('; '));
}

async function loadModule(folder, wasm) {
  const file = path.join(folder, 'wasm', FILES[wasm]);
  let text, version;
  try {
    text = fs.readFileSync(file, 'utf8');
    version = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
  } catch (error) {
    leave(3, `${folder}: ${error.code}, required: the package @litertjs/core; ./dev runtimes installs it`);
  }
  if (!WebAssembly.validate(fs.readFileSync(file.replace(/js$/, 'wasm')))) {
    leave(3, `--wasm ${wasm}: this Node (${process.version}) lacks its instructions; try compat`);
  }
  // A script of browsers, which the package's type would make a module.
  const load = new Function('require', '__filename', '__dirname', `${text}; return ModuleFactory;`);
  const say = (line) => {
    words.push(line);
    console.error(line);
  };
  const module = await load(createRequire(file), file, path.dirname(file))({ print: console.error, printErr: say });
  module.setupLogging();
  return { module, version: `${version}-${wasm}` };
}

function readInputs(folder) {
  const inputs = [];
  for (;;) {
    const file = path.join(folder, `in${inputs.length}.bin`);
    if (!fs.existsSync(file)) return inputs;
    inputs.push(fs.readFileSync(file));
  }
}

// A tensor of the model's with these bytes.
function makeTensor({ module, environment }, type, bytes) {
  if (type.bytes() !== bytes.length) throw new Error('an input of the case has another size than the model\'s');
  const host = module.LiteRtTensorBufferType.HOST_MEMORY;
  const tensor = module.LiteRtTensorBuffer.createManaged(environment, host, type, bytes.length);
  module.HEAPU8.set(bytes, tensor.lock(module.LiteRtTensorBufferLockMode.WRITE));
  tensor.unlock();
  return tensor;
}

function readTensor({ module }, tensor) {
  const begin = tensor.lock(module.LiteRtTensorBufferLockMode.READ);
  const bytes = module.HEAPU8.slice(begin, begin + tensor.packedSize());
  tensor.unlock();
  return bytes;
}

// Whether the model has nothing but SHAPE: its outputs are known before inference, and the interface leaves them as memory
// was. Operator codes: the model's field 1; of each, field 3 or, in old files, field 0.
function isShapeAlone(file) {
  const SHAPE = 77;
  const field = (table, i) => {
    const offsets = table - file.readInt32LE(table);
    const offset = 4 + 2 * i < file.readUInt16LE(offsets) ? file.readUInt16LE(offsets + 4 + 2 * i) : 0;
    return offset === 0 ? 0 : table + offset;
  };
  const follow = (at) => at + file.readUInt32LE(at);
  try {
    const list = follow(field(follow(0), 1));
    const codes = Array.from({ length: file.readUInt32LE(list) }, (_, i) => {
      const code = follow(list + 4 + 4 * i), now = field(code, 3), before = field(code, 0);
      return Math.max(now === 0 ? 0 : file.readInt32LE(now), before === 0 ? 0 : file.readInt8(before));
    });
    return codes.length > 0 && codes.every((code) => code === SHAPE);
  } catch {
    return false; // The runtime says what is wrong with the file.
  }
}

// `keep` takes what must be deleted after the case.
async function runCase(runtime, folder, keep) {
  const { module, environment } = runtime;
  const file = fs.readFileSync(path.join(folder, 'model.tflite'));
  if (isShapeAlone(file)) throw new Error('unsupported: outputs that are known before inference are not returned');
  const begin = module._malloc(file.length);
  keep({ delete: () => module._free(begin) });
  module.HEAPU8.set(file, begin);
  const model = keep(module.loadModel(environment, begin, file.length));
  const options = { accelerator: 'wasm', cpuOptions: { numThreads: 1 }, gpuOptions: {}, webNNOptions: {} };
  const compiled = keep(await module.compileModel(environment, model, options));
  throwIfItFailed();
  const inputs = readInputs(folder);
  const tensors = inputs.map((bytes, i) => keep(makeTensor(runtime, keep(model.getInputTensorType(0, i)), bytes)));
  let outputs = [];
  for (let left = Number(fs.readFileSync(path.join(folder, 'invokes'), 'utf8')); left > 0; --left) {
    outputs = (await compiled.run(0, tensors)).map(keep);
  }
  throwIfItFailed();
  outputs.forEach((tensor, i) => fs.writeFileSync(path.join(folder, `out${i}.bin`), readTensor(runtime, tensor)));
}

async function answer(runtime, folder) {
  const kept = [];
  words.length = 0;
  try {
    await runCase(runtime, folder, (object) => (kept.push(object), object));
    return 'ok';
  } catch (error) {
    // The module has ended, and with it all that it held.
    if (error instanceof WebAssembly.RuntimeError) leave(4, error.message);
    const why = [...words.filter((line) => line.startsWith('ERROR')), error.message ?? String(error)][0];
    return `${LACKS.test(why) ? 'unsupported' : 'refused'} ${why.replace(/\s+/g, ' ')}`;
  } finally {
    kept.reverse().forEach((object) => object.delete());
  }
}

const options = readOptions();
const { module, version } = await loadModule(options.package, options.wasm);
const runtime = { module, environment: module.LiteRtEnvironment.create(null) };
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [verb, , ...folder] = line.split(' ');
  if (verb === 'hello') {
    process.stdout.write(`hello 1 ${NAME} ${version}\n`);
  } else if (verb === 'case' && folder.length > 0) {
    process.stdout.write(`${await answer(runtime, folder.join(' '))}\n`);
  } else if (verb === 'bye') {
    break;
  } else {
    leave(2, `not a line of the protocol: ${line}`);
  }
}
process.exit(0);
