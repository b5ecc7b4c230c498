#!/usr/bin/env node
// `handrail`, the program of the npm package. It is bundled into dist, next to everything that it starts.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { commandWord } from "./launch/command-word.ts";
import { stateHome } from "./launch/places.ts";
import { run } from "./launch/run.ts";

const dist = dirname(fileURLToPath(import.meta.url));
const root = dirname(dist);

await run(
  { root, dist, command: commandWord(root), stateFolders: [stateHome(process.env)] },
  process.argv.slice(2),
  process.env,
);
