// Searches without ripgrep: by our own walk, with a worker for regular expressions, because one may run
// forever.
import { Worker } from "node:worker_threads";
import { HandrailError } from "../../../shared/errors.ts";
import * as limits from "../../limits.ts";
import { readTextFile } from "../../paths/text-file.ts";
import type { Folder } from "../../workspace/folder.ts";
import { walk } from "../../workspace/walk.ts";
import { checkedGlob } from "../list.ts";
import type { Hit, Hits, SearchRun } from "./hits.ts";

const deepest = 64;
/** The prefix of a regular expression that ignores case. */
const anyCase = "(?i)";
/** Number of files that are read and matched together. */
const atOnce = 64;

export async function searchByWalk(folder: Folder, run: SearchRun): Promise<Hits> {
  const deadline = performance.now() + limits.searchMs;
  const matcher = run.regex ? new RegexMatcher(run.pattern) : new TextMatcher(run.pattern);
  const paths: string[] = [];
  let seen = 0;
  const wanted = run.glob === undefined ? () => true : checkedGlob(run.glob);
  for await (const level of walk(folder, { from: "", depth: deepest, signal: run.signal })) {
    seen += level.length;
    for (const { path, type } of level) if (type === "file" && wanted(path)) paths.push(path);
  }
  // The order of ripgrep's --sort path: by folder, name by name.
  paths.sort((a, b) => compareNames(a.split("/"), b.split("/")));
  const hits: Hit[] = [];
  let count = 0;
  try {
    for (let index = 0; index < paths.length; index += atOnce) {
      run.signal.throwIfAborted();
      const left = deadline - performance.now();
      if (left <= 0) return { hits, truncated: true };
      const files = await Promise.all(
        paths
          .slice(index, index + atOnce)
          .map((path) => readTextFile(folder.root, path).catch(() => undefined)),
      );
      const found = await matcher.linesOf(
        files.map((file) => file?.text ?? ""),
        left,
      );
      for (const [position, lines] of found.entries()) {
        const path = paths[index + position];
        if (path === undefined || lines.length === 0) continue;
        if (count >= run.limit) return { hits, truncated: true };
        hits.push({ path, lines: lines.slice(0, run.limit - count) });
        count += lines.length;
        if (count > run.limit) return { hits, truncated: true };
      }
    }
    return { hits, truncated: seen >= limits.walkEntries };
  } finally {
    await matcher.close();
  }
}

function compareNames(a: string[], b: string[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [left = "", right = ""] = [a[index], b[index]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

class TextMatcher {
  readonly #pattern: string;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  async linesOf(texts: readonly string[]): Promise<number[][]> {
    return texts.map((text) => (text.includes(this.#pattern) ? this.#linesOfOne(text) : []));
  }

  #linesOfOne(text: string): number[] {
    const lines = text.replace(/\n$/, "").split("\n");
    return lines.flatMap((line, index) => (line.includes(this.#pattern) ? [index + 1] : []));
  }

  async close(): Promise<void> {}
}

const workerCode = `
const { parentPort, workerData } = require("node:worker_threads");
const pattern = new RegExp(workerData.pattern, workerData.flags);
const matches = (line) => pattern.test(line.endsWith("\\r") ? line.slice(0, -1) : line);
const linesOf = (text) => {
  if (text === "") return [];
  const lines = [];
  text.replace(/\\n$/, "").split("\\n").forEach((line, index) => { if (matches(line)) lines.push(index + 1); });
  return lines;
};
parentPort.on("message", (texts) => parentPort.postMessage(texts.map(linesOf)));`;

class RegexMatcher {
  readonly #worker: Worker;

  constructor(pattern: string) {
    // ripgrep accepts the prefix (?i). JavaScript has only a flag for it.
    const flags = pattern.startsWith(anyCase) ? "iu" : "u";
    const source = flags === "iu" ? pattern.slice(anyCase.length) : pattern;
    try {
      new RegExp(source, flags);
    } catch (error) {
      const why = error instanceof Error ? error.message : "";
      throw new HandrailError(
        "invalid_request",
        `pattern: not a regular expression that can be searched for. ${why.slice(0, 300)}`,
      );
    }
    this.#worker = new Worker(workerCode, { eval: true, workerData: { pattern: source, flags } });
  }

  linesOf(texts: readonly string[], timeoutMs: number): Promise<number[][]> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new HandrailError("timeout", "pattern: takes too long to match here. Use a simpler one."));
      }, timeoutMs);
      this.#worker.once("message", (lines: number[][]) => {
        clearTimeout(timer);
        resolve(lines);
      });
      this.#worker.postMessage(texts);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
