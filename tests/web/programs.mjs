// Run tasks from standard input on the WebAssembly modules, and print the answers as JSON.

import { readFileSync } from "node:fs";

import { Program, ProgramError, Session } from "../../data/web/program.js";

const folder = new URL("../../data/web/", import.meta.url);
const { game, tasks } = JSON.parse(readFileSync(0, "utf8"));
const manifest = JSON.parse(readFileSync(new URL(`winnable-${game}.json`, folder), "utf8"));
const program = await Program.load(readFileSync(new URL(`winnable-${game}.wasm`, folder)), manifest);

let session;
let memory;
const answers = [];
for (const task of tasks) {
  if (memory !== task.memory) {
    memory = task.memory;
    session = new Session(program, memory);
  }
  try {
    if (task.deck) {
      answers.push({ effort: session.measure(Uint8Array.from(task.deck), task.rules) });
    } else if (task.decks) {
      const { statuses, nodes } = session.decideDecks(
        Uint8Array.from(task.decks.flat()), task.decks[0].length, task.rules, task,
      );
      answers.push({ statuses: Array.from(statuses), nodes });
    } else {
      const { status, nodes, line } = session.solve(task.packed, task.rules, task);
      answers.push({ status, nodes, line: line ?? null });
    }
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    answers.push({ error: error.name });
  }
}
process.stdout.write(JSON.stringify(answers));
