// Shows which lines redaction marks in a folder of source code, and its speed: `node --import tsx
// test/bench/redaction.ts FOLDER…`. It prints each marked line, so that a person can judge which ones contain
// no secret.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createRedactor } from "../../shared/redact/redactor.ts";

/** Larger files are data, not source. */
const maxFileBytes = 1_000_000;

async function textsIn(folder: string): Promise<[path: string, text: string][]> {
  const texts: [string, string][] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /(?:^|\/)(?:\.git|node_modules)\//.test(path)) continue;
    const bytes = await readFile(path);
    if (bytes.length <= maxFileBytes && !bytes.includes(0)) texts.push([path, bytes.toString()]);
  }
  return texts;
}

const { redact } = createRedactor();
for (const folder of process.argv.slice(2)) {
  const texts = await textsIn(folder);
  let [lines, marked, chars] = [0, 0, 0];
  const start = process.cpuUsage();
  const shown = texts.map(([, text]) => redact(text));
  const { user, system } = process.cpuUsage(start);
  for (const [index, [path, text]] of texts.entries()) {
    const before = text.split("\n");
    chars += text.length;
    lines += before.length;
    for (const [at, line] of (shown[index] ?? "").split("\n").entries()) {
      if (line === before[at]) continue;
      marked += 1;
      console.log(`${path}:${at + 1}: ${line.trim().slice(0, 160)}`);
    }
  }
  const rate = ((marked * 10_000) / lines).toFixed(2);
  const speed = (chars / (user + system)).toFixed(1);
  console.log(
    `${folder}: ${marked} of ${lines} lines marked, ${rate} in 10,000; ${speed} MB a second of processor time`,
  );
}
