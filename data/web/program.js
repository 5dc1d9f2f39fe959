// A program of winnable in WebAssembly: memory, calls, and positions decided in slices.
//
// Plain ES module, no dependency. A position is packed as docs/programs.md says; the verdicts, node
// counts and lines are those of the Python package, which runs the same code.

/** An error with a name that says what is wrong. */
export class ProgramError extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

const PAGE = 65536;
const VIEW_OF_NAME = { uint8: Uint8Array, int64: BigInt64Array };

/** A loaded module. One session at a time lies in its memory. */
export class Program {
  /**
   * Load a module.
   * @param {BufferSource} bytes  the .wasm file
   * @param {object} manifest  the .json file beside it
   */
  static async load(bytes, manifest) {
    if (typeof WebAssembly === "undefined") {
      throw new ProgramError("NoWebAssembly", "this environment has no WebAssembly");
    }
    if (manifest?.format !== "winnable-program-1") {
      throw new ProgramError("BadManifest", "this is not the manifest of a winnable program");
    }
    let made;
    try {
      made = await WebAssembly.instantiate(bytes, {});
    } catch (error) {
      throw new ProgramError("BadModule", `the module cannot be loaded: ${error.message}`);
    }
    return new Program(made.instance, manifest);
  }

  constructor(instance, manifest) {
    this.manifest = manifest;
    this.exports = instance.exports;
    this.memory = instance.exports.memory;
    this.base = Math.ceil(instance.exports.__heap_base.value / 64) * 64;
    this.top = this.base;
  }

  /** Give up everything that was allocated. */
  reset() {
    this.top = this.base;
  }

  /** Reserve bytes; return their address. Throws OutOfMemory where the memory cannot grow. */
  allocate(bytes) {
    const at = this.top;
    const end = at + Math.ceil(bytes / 64) * 64;
    const missing = Math.ceil((end - this.memory.buffer.byteLength) / PAGE);
    if (missing > 0) {
      try {
        this.memory.grow(missing);
      } catch {
        throw new ProgramError("OutOfMemory", `${bytes} bytes cannot be had`);
      }
    }
    this.top = end;
    return at;
  }

  /** Copy values into memory; return their address. */
  put(values, View) {
    const at = this.allocate(values.length * View.BYTES_PER_ELEMENT);
    new View(this.memory.buffer, at, values.length).set(values);
    return at;
  }

  /** See memory as numbers. */
  view(View, at, length) {
    return new View(this.memory.buffer, at, length);
  }

  /** Call an entry with 64-bit integers. */
  call(name, ...words) {
    return Number(this.exports[this.manifest.entries[name].symbol](...words.map(BigInt)));
  }
}

/** Memory in which one position after another is decided. */
export class Session {
  /**
   * @param {Program} program
   * @param {number} memoryMib  bound on the tables of a search
   */
  constructor(program, memoryMib = program.manifest.limits.memory_mib) {
    this.program = program;
    program.reset();
    const size = program.call("session_size", memoryMib);
    this.at = program.allocate(size);
    new DataView(program.memory.buffer).setBigInt64(this.at, BigInt(size), true);
    program.call("prepare", this.at, memoryMib);
    this.scratch = program.top;
  }

  /**
   * Decide a position, a slice at a time: iterate to go on, stop iterating to give up.
   * @param {ArrayLike<number|bigint>} packed  the position after forced autoplay
   * @param {ArrayLike<number>} rules  a profile, as the manifest has them
   * @param {{method?: string, maxNodes?: number, slice?: number}} options
   * @yields {{status: number, nodes: number, line?: number[]}}  OPEN until the last one
   */
  *decide(packed, rules, { method = undefined, maxNodes = undefined, slice = 20000 } = {}) {
    const { program } = this;
    const { manifest } = program;
    const place = method === undefined ? 0 : manifest.methods.indexOf(method);
    if (place < 0) {
      throw new ProgramError("UnknownMethod", `${method}; there are ${manifest.methods}`);
    }
    if (packed.length !== manifest.packed.size) {
      throw new ProgramError("BadPosition", `${packed.length} values, not ${manifest.packed.size}`);
    }
    program.top = this.scratch;
    const Packed = VIEW_OF_NAME[manifest.packed.element];
    const values = Packed === BigInt64Array ? Array.from(packed, BigInt) : packed;
    const position = program.put(values, Packed);
    const options = program.put(Array.from(rules, BigInt), BigInt64Array);
    const most = maxNodes ?? manifest.limits.max_nodes;
    program.call(
      "begin", this.at, position, packed.length, options, rules.length, place, most, 0, 0,
    );
    const { OPEN, WON } = manifest.statuses;
    let status = OPEN;
    while (status === OPEN) {
      status = program.call("step", this.at, slice);
      const answer = { status, nodes: program.call("nodes_spent", this.at) };
      if (status === WON) {
        answer.line = this.#line();
      }
      yield answer;
    }
  }

  /** Decide a position in one go; see `decide`. */
  solve(packed, rules, options) {
    let answer;
    for (answer of this.decide(packed, rules, options));
    return answer;
  }

  /**
   * Decide many decks, without their lines: the first stages in one call, the rest one by one.
   * @param {Uint8Array} decks  one after another
   * @param {number} size  cards of a deck
   * @returns {{statuses: Int8Array, nodes: number[]}}
   */
  decideDecks(decks, size, rules, { maxNodes = undefined } = {}) {
    const { program } = this;
    const { manifest } = program;
    const count = decks.length / size;
    const most = maxNodes ?? manifest.limits.max_nodes;
    const Packed = VIEW_OF_NAME[manifest.packed.element];
    const width = manifest.packed.size;
    program.top = this.scratch;
    const cards = program.put(decks, Uint8Array);
    const options = program.put(Array.from(rules, BigInt), BigInt64Array);
    const packed = program.allocate(count * width * Packed.BYTES_PER_ELEMENT);
    program.call("deal_decks", cards, count, size, options, rules.length, packed, count, width);
    const statuses = program.allocate(count);
    const nodes = program.allocate(8 * count);
    const lengths = program.allocate(4 * count);
    const offsets = program.allocate(8 * (count + 1));
    program.call(
      "decide", this.at, packed, count, width, options, rules.length, most, 0, 0,
      statuses, count, nodes, count, lengths, count, offsets, 0, offsets, count + 1,
    );
    const found = Int8Array.from(program.view(Int8Array, statuses, count));
    const spent = Array.from(program.view(BigInt64Array, nodes, count), Number);
    for (let row = 0; row < count; row += 1) {
      if (found[row] === manifest.statuses.OPEN) {
        const at = packed + row * width * Packed.BYTES_PER_ELEMENT;
        program.call(
          "begin", this.at, at, width, options, rules.length, 0, most, spent[row], 1,
        );
        do {
          found[row] = program.call("step", this.at, 1000000);
        } while (found[row] === manifest.statuses.OPEN);
        spent[row] = program.call("nodes_spent", this.at);
      }
    }
    return { statuses: found, nodes: spent };
  }

  /** Return the effort of a deck, in thousandths of the grader's unit. */
  measure(deck, rules) {
    const { program } = this;
    program.top = this.scratch;
    const cards = program.put(deck, Uint8Array);
    const options = program.put(Array.from(rules, BigInt), BigInt64Array);
    const effort = program.allocate(8);
    program.call(
      "measure_decks", this.at, cards, 1, deck.length, options, rules.length, 0, 1, effort, 1,
    );
    return Number(program.view(BigInt64Array, effort, 1)[0]);
  }

  #line() {
    const { program } = this;
    let room = 4096;
    let at;
    let length;
    do {
      room *= 4;
      at = program.allocate(2 * room);
      length = program.call("take_line", this.at, at, room);
    } while (length < 0);
    return Array.from(program.view(Uint16Array, at, length));
  }
}

