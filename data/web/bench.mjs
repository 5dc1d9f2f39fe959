// Decide decks from standard input on a module; print CPU seconds, cold and warm, as JSON.
//
//     node bench.mjs freecell classic 52 < decks

import { readFileSync } from "node:fs";

import { Program, Session } from "./program.js";

const [game, profile, size] = process.argv.slice(2);
const decks = new Uint8Array(readFileSync(0));
const folder = new URL(".", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(`winnable-${game}.json`, folder), "utf8"));
const bytes = readFileSync(new URL(`winnable-${game}.wasm`, folder));

const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

let begin = seconds();
const session = new Session(await Program.load(bytes, manifest));
const decide = () => session.decideDecks(decks, Number(size), manifest.profiles[profile]);
const { statuses, nodes } = decide();
const cold = seconds() - begin;
let warm = Infinity;
for (let round = 0; round < 3; round += 1) {
  begin = seconds();
  decide();
  warm = Math.min(warm, seconds() - begin);
}
const won = statuses.filter((status) => status === manifest.statuses.WON).length;
const total = nodes.reduce((sum, count) => sum + count, 0);
process.stdout.write(JSON.stringify({ cold, warm, won, nodes: total }));
