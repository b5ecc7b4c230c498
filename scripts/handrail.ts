#!/usr/bin/env node
// `handrail`, the program of the npm package: bundled into dist, beside everything that it starts.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { stateHome } from "./launch/places.ts";
import { run } from "./launch/run.ts";

const dist = dirname(fileURLToPath(import.meta.url));

await run(
  { root: dirname(dist), dist, command: "handrail", stateFolders: [stateHome(process.env)] },
  process.argv.slice(2),
  process.env,
);
