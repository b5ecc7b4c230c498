// Runs benchmarks: `npm run bench -- NAME` calls `run()` of ./NAME.ts; without a name, every file of this
// folder that has one.
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("./", import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .filter((file) => /export (async )?function run\(/.test(readFileSync(new URL(file, folder), "utf8")))
  .map((file) => file.slice(0, -3));

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(", ")}. There is: ${names.join(", ")}`);
  process.exitCode = 1;
} else {
  for (const name of wanted.length > 0 ? wanted : names) {
    console.log(`\n== ${name}`);
    const bench: { run(): void | Promise<void> } = await import(new URL(`${name}.ts`, folder).href);
    await bench.run();
  }
}
