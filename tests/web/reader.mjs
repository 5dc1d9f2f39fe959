// A frontend that knows docs/deals.md, docs/notation.md and docs/pool-format.md, and nothing else.
//
// Standard input: {"pools": [text of a pool file, ..], "deals": [number, ..], "pysol": [[number as text,
// decks], ..], "picks": {"pool", "tier", "seeds", "days", "not"}}. Standard output: for each pool how many
// solutions were replayed, and what went wrong; for each deal its FreeCell columns; the cards that PySolFC
// deals; the numbers that are picked.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const RANKS = "A23456789TJQK";
const SUITS = "CDHS";
const rank = (card) => Math.floor(card / 4);
const suit = (card) => card % 4;
const isRed = (card) => suit(card) === 1 || suit(card) === 2;
const show = (card) => RANKS[rank(card)] + SUITS[suit(card)];

function check(condition, message) {
  if (!condition) throw new Error(message);
}

// deals.md

function stream(number, size, deck) {
  const cards = deck ?? Array.from({ length: size }, (_, index) => index % 52);
  const dealt = [];
  let x = number % 2 ** 32;
  for (let left = size; left > 0; left -= 1) {
    x = (Math.imul(x, 214013) + 2531011) >>> 0;
    const high = x >>> 16;
    let r = high + 1;
    if (number < 2 ** 31) r = high % 32768;
    else if (number < 2 ** 32) r = (high % 32768) + 32768;
    dealt.push(cards[r % left]);
    cards[r % left] = cards[left - 1];
  }
  return dealt;
}

function bySuit(size) {
  const deck = [0, 3, 2, 1].flatMap((s) => Array.from({ length: 13 }, (_, r) => 4 * r + s));
  return Array.from({ length: size }, (_, index) => deck[index % 52]);
}

class Twister {
  constructor(number) {
    const key = [];
    for (let rest = number; rest > 0n; rest >>= 32n) key.push(Number(rest & 0xffffffffn));
    const state = this.seeded(19650218);
    let [i, j] = [1, 0];
    for (let k = Math.max(624, key.length); k > 0; k -= 1) {
      const before = state[i - 1] ^ (state[i - 1] >>> 30);
      state[i] = ((state[i] ^ Math.imul(before, 1664525)) + key[j] + j) >>> 0;
      i += 1;
      j = (j + 1) % key.length;
      if (i >= 624) {
        state[0] = state[623];
        i = 1;
      }
    }
    for (let k = 623; k > 0; k -= 1) {
      const before = state[i - 1] ^ (state[i - 1] >>> 30);
      state[i] = ((state[i] ^ Math.imul(before, 1566083941)) - i) >>> 0;
      i += 1;
      if (i >= 624) {
        state[0] = state[623];
        i = 1;
      }
    }
    state[0] = 0x80000000;
    this.state = state;
    this.at = 624;
  }

  seeded(seed) {
    const state = [seed >>> 0];
    for (let i = 1; i < 624; i += 1) {
      state.push((Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), 1812433253) + i) >>> 0);
    }
    return state;
  }

  output() {
    if (this.at >= 624) {
      const { state } = this;
      for (let i = 0; i < 624; i += 1) {
        const y = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
        state[i] = (state[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)) >>> 0;
      }
      this.at = 0;
    }
    let y = this.state[this.at];
    this.at += 1;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  random() {
    const [a, b] = [this.output() >>> 5, this.output() >>> 6];
    return (a * 67108864 + b) / 2 ** 53;
  }
}

function pysolStream(number, size) {
  const cards = size === 52 && number < 32000n ? undefined : bySuit(size);
  if (number < 32000n) return stream(Number(number), size, cards);
  const twister = new Twister(number);
  for (let left = size; left > 1; left -= 1) {
    const pick = Math.floor(twister.random() * left);
    [cards[pick], cards[left - 1]] = [cards[left - 1], cards[pick]];
  }
  return cards.reverse();
}

// notation.md

class FreeCell {
  constructor(number, options) {
    this.columns = Array.from({ length: 8 }, () => []);
    stream(number, 52).forEach((card, index) => this.columns[index % 8].push(card));
    this.cells = Array(options.cells).fill(null);
    this.home = [0, 0, 0, 0];
    this.options = options;
    if (options.autoplay_on_deal) this.autoplay();
  }

  fits(card) {
    return this.home[suit(card)] === rank(card);
  }

  goesByItself(card) {
    if (this.options.autoplay === "none" || !this.fits(card)) return false;
    if (this.options.autoplay === "max" || rank(card) < 2) return true;
    // Ranks count from 0 here: a foundation that has reached r - 1 holds `rank` cards.
    return [0, 1, 2, 3].every((s) => isRed(s) === isRed(card) || this.home[s] >= rank(card));
  }

  autoplay() {
    for (let going = true; going; ) {
      going = false;
      for (const column of this.columns) {
        if (column.length && this.goesByItself(column.at(-1))) {
          this.home[suit(column.pop())] += 1;
          going = true;
        }
      }
      this.cells.forEach((card, index) => {
        if (card !== null && this.goesByItself(card)) {
          this.home[suit(card)] += 1;
          this.cells[index] = null;
          going = true;
        }
      });
    }
  }

  builds(card, below) {
    const right = this.options.build === "suit" ? suit(card) === suit(below) : isRed(card) !== isRed(below);
    return rank(card) + 1 === rank(below) && right;
  }

  capacity(toEmpty) {
    const free = this.cells.filter((card) => card === null).length;
    const empty = this.columns.filter((column) => !column.length).length - (toEmpty ? 1 : 0);
    if (this.options.supermove === "single") return 1;
    return this.options.supermove === "linear" ? (free + 1) * (empty + 1) : (free + 1) * 2 ** empty;
  }

  play(text) {
    const move = /^([1-8a-h])([1-8a-h])(?:v([0-9]+))?$/.exec(text);
    check(move, "not a move");
    const [from, to] = [move[1], move[2]];
    let moved;
    if (from >= "a") {
      const cell = from.charCodeAt(0) - 97;
      check(this.cells[cell] !== null && this.cells[cell] !== undefined, "empty cell");
      moved = [this.cells[cell]];
      this.cells[cell] = null;
      if (to < "a") this.arrive(moved, this.columns[to - 1]);
    } else {
      const source = this.columns[from - 1];
      check(source.length, "empty column");
      let count = 1;
      const target = to < "a" ? this.columns[to - 1] : null;
      if (target) count = target.length ? rank(target.at(-1)) - rank(source.at(-1)) : Number(move[3] ?? 1);
      check(count >= 1 && count <= source.length, "no such count");
      check(!target || count <= this.capacity(!target.length), "above the capacity");
      moved = source.splice(source.length - count);
      if (target) this.arrive(moved, target);
    }
    if (to === "h") {
      check(this.fits(moved[0]), "not next on its foundation");
      this.home[suit(moved[0])] += 1;
    } else if (to >= "a") {
      const cell = to.charCodeAt(0) - 97;
      check(this.cells[cell] === null, "no such cell, or not empty");
      this.cells[cell] = moved[0];
    }
    this.autoplay();
  }

  arrive(moved, target) {
    const run = target.length ? [target.at(-1), ...moved] : moved;
    check(run.every((card, index) => index === 0 || this.builds(card, run[index - 1])), "does not fit");
    target.push(...moved);
  }

  get won() {
    return this.home.every((count) => count === 13);
  }
}

class Pyramid {
  constructor(number, options) {
    const cards = stream(number, 52);
    this.pyramid = cards.slice(0, 28);
    this.stock = cards.slice(28);
    this.waste = [];
    this.resets = 0;
    this.options = options;
  }

  coversOf(place) {
    const row = Math.floor((Math.sqrt(8 * place + 1) - 1) / 2);
    if (row === 6) return [];
    return [place + row + 1, place + row + 2].map((p) => this.pyramid[p]).filter((card) => card !== null);
  }

  play(text) {
    if (text === "draw") {
      check(this.stock.length, "empty stock");
      this.waste.push(this.stock.shift());
      return;
    }
    if (text === "reset") {
      check(!this.stock.length && this.waste.length && this.resets < this.options.redeals, "no reset");
      [this.stock, this.waste, this.resets] = [this.waste, [], this.resets + 1];
      return;
    }
    const cards = text.split(" ").map((name) => RANKS.indexOf(name[0]) * 4 + SUITS.indexOf(name[1]));
    check(cards.reduce((sum, card) => sum + rank(card) + 1, 0) === 13 && cards.length <= 2, "not 13");
    for (const card of cards) {
      const place = this.pyramid.indexOf(card);
      if (place >= 0) {
        const covers = this.coversOf(place);
        const byPartner = this.options.cover_pairs && covers.length === 1 && cards.includes(covers[0]);
        check(!covers.length || byPartner, `${show(card)} is covered`);
      } else {
        const tops = [this.waste.at(-1), this.options.stock_top ? this.stock[0] : undefined];
        check(tops.includes(card), `${show(card)} is not in play`);
      }
    }
    this.pyramid = this.pyramid.map((card) => (cards.includes(card) ? null : card));
    this.stock = this.stock.filter((card) => !cards.includes(card));
    this.waste = this.waste.filter((card) => !cards.includes(card));
  }

  get won() {
    const gone = this.pyramid.every((card) => card === null);
    return gone && (this.options.goal === "pyramid" || this.stock.length + this.waste.length === 0);
  }
}

class ThePlot {
  constructor(number, options) {
    const cards = stream(number, 104);
    this.reserve = cards.slice(0, 13);
    this.base = rank(cards[13]);
    this.piles = cards.slice(14, 26).map((card) => [card]);
    this.stock = cards.slice(26);
    this.waste = options.initial_waste ? [this.stock.shift()] : [];
    this.out = Array(13).fill(0);
    this.out[0] = 1;
    this.options = options;
  }

  above(card) {
    return (rank(card) - this.base + 13) % 13;
  }

  isAlone(card, phaseOne) {
    const rule = this.options.base_isolation;
    return this.above(card) === 0 && (rule === "always" || (rule === "phase1" && phaseOne));
  }

  play(text) {
    if (text === "draw") {
      check(this.stock.length, "empty stock");
      this.waste.push(this.stock.shift());
      return;
    }
    const [from, to] = text.split(">");
    const phaseOne = this.out[12] === 0;
    const source = from === "w" ? this.waste : from === "r" ? this.reserve : this.piles[from - 1];
    check(source?.length, "nothing to play");
    const card = source.pop();
    if (to === "f") {
      const above = this.above(card);
      check(above === 0 ? !phaseOne : this.out[above] < this.out[above - 1], "no foundation takes it");
      this.out[above] += 1;
      return;
    }
    check(from !== "r", "the reserve plays to foundations alone");
    const pile = this.piles[to - 1];
    if (pile.length) {
      const below = pile.at(-1);
      check((this.above(card) + 1) % 13 === this.above(below), "does not fit");
      check(!this.isAlone(card, phaseOne) && !this.isAlone(below, phaseOne), "stands alone");
    } else {
      check(from === "w" && (!phaseOne || this.above(card) === 0), "a space is filled from the waste");
    }
    pile.push(card);
  }

  get won() {
    return this.out.every((count) => count === 8);
  }
}

// pool-format.md

const GAMES = { freecell: FreeCell, pyramid: Pyramid, plot: ThePlot };
// rules.md: the profiles.
const PROFILES = {
  freecell: {
    classic: { cells: 4, build: "alternate", supermove: "power", autoplay: "none" },
    linear: { cells: 4, build: "alternate", supermove: "linear", autoplay: "none" },
    "safe-auto": { cells: 4, build: "alternate", supermove: "power", autoplay: "safe", autoplay_on_deal: false },
    "max-auto": { cells: 4, build: "alternate", supermove: "power", autoplay: "max", autoplay_on_deal: true },
    bakers: { cells: 4, build: "suit", supermove: "power", autoplay: "none" },
  },
  pyramid: {
    classic: { redeals: Infinity, cover_pairs: true, stock_top: false, goal: "pyramid" },
    microsoft: { redeals: 2, cover_pairs: false, stock_top: true, goal: "pyramid" },
    "single-pass": { redeals: 0, cover_pairs: false, stock_top: false, goal: "pyramid" },
  },
  plot: {
    classic: { base_isolation: "phase1", initial_waste: 0 },
    pysol: { base_isolation: "none", initial_waste: 1 },
  },
};

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

function numbers(text) {
  const found = [];
  let number = 0;
  let [value, weight] = [0, 1];
  for (const byte of Buffer.from(text, "base64url")) {
    value += (byte % 128) * weight;
    weight *= 128;
    if (byte < 128) {
      number += value;
      found.push(number);
      [value, weight] = [0, 1];
    }
  }
  return found;
}

function mix(x) {
  let y = x >>> 0;
  y = Math.imul(y ^ (y >>> 16), 0x85ebca6b) >>> 0;
  y = Math.imul(y ^ (y >>> 13), 0xc2b2ae35) >>> 0;
  return (y ^ (y >>> 16)) >>> 0;
}

function spread(seed) {
  const one = mix((seed % 2 ** 32) ^ mix(Math.floor(seed / 2 ** 32) ^ 0x9e3779b9));
  const two = mix(one ^ 0x85ebca6b);
  return one * 2 ** 21 + Math.floor(two / 2 ** 11);
}

function shuffled(place, size, key) {
  let half = 1;
  while (2 ** (2 * half) < size) half += 1;
  const mask = 2 ** half - 1;
  let walked = place;
  do {
    let [left, right] = [Math.floor(walked / 2 ** half), (walked & mask) >>> 0];
    for (let step = 1; step <= 4; step += 1) {
      const mixed = mix(right ^ mix(key ^ Math.imul(0x9e3779b9, step)));
      [left, right] = [right, (left ^ (mixed & mask)) >>> 0];
    }
    walked = left * 2 ** half + right;
  } while (walked >= size);
  return walked;
}

function pick({ pool: text, tier, seeds, days, not }) {
  const pool = JSON.parse(text);
  const bounds = numbers(pool.covers);
  let choices = tier === "random" ? [] : numbers(pool.tiers[tier].numbers);
  for (let at = 0; tier === "random" && at < bounds.length; at += 2) {
    for (let number = bounds[at]; number < bounds[at + 1]; number += 1) choices.push(number);
  }
  choices = choices.filter((number) => !not.includes(number));
  const size = choices.length;
  return {
    seeds: seeds.map((seed) => choices[spread(seed) % size]),
    days: days.map((day) => {
      const count = (Date.parse(day) - Date.parse("2000-01-01")) / 86400000;
      return choices[shuffled(count % size, size, mix(Math.floor(count / size)))];
    }),
  };
}

function replay(text) {
  const pool = JSON.parse(text);
  const { sha256, ...content } = pool;
  const hash = createHash("sha256").update(JSON.stringify(sorted(content))).digest("hex");
  check(pool.format === "winnable-pool" && hash === sha256, "the hash is wrong");
  const [name, ...variations] = pool.profile.split(",");
  const options = { ...PROFILES[pool.game][name] };
  for (const variation of variations) {
    const [key, value] = variation.split("=");
    options[key] = { yes: true, no: false, unlimited: Infinity }[value] ?? (/^\d+$/.test(value) ? Number(value) : value);
  }
  const problems = [];
  let replayed = 0;
  let moves = 0;
  for (const [tier, { numbers: coded, solutions }] of Object.entries(pool.tiers)) {
    if (tier === "random") continue;
    numbers(coded).forEach((number, index) => {
      const game = new GAMES[pool.game](number, options);
      const line = solutions[index].split(",");
      line.forEach((move, place) => {
        try {
          game.play(move);
        } catch (error) {
          problems.push(`${pool.game} ${number}, move ${place + 1}, ${move}: ${error.message}`);
        }
      });
      if (!game.won) problems.push(`${pool.game} ${number}: not won at the end`);
      replayed += 1;
      moves += line.length;
    });
  }
  return { replayed, moves, problems: problems.slice(0, 5) };
}

const { pools, deals, pysol = [], picks } = JSON.parse(readFileSync(0, "utf8"));
const columns = deals.map((number) => {
  const options = PROFILES.freecell.classic;
  return new FreeCell(number, options).columns.map((column) => column.map(show));
});
process.stdout.write(
  JSON.stringify({
    pools: pools.map(replay),
    columns,
    pysol: pysol.map(([number, decks]) => pysolStream(BigInt(number), 52 * decks).map(show)),
    picks: picks && pick(picks),
  }),
);
