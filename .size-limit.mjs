// The size budgets: what a phone loads before the first paint, the script that a worker starts with and what it loads
// when a request needs it, the sandbox server. Gzip.
import { readdirSync, readFileSync } from "node:fs";

/** What index.html itself names: scripts, their preloads, styles. Everything else is lazy. */
function initial(extension) {
  const page = readFileSync(new URL("dist/pwa/index.html", import.meta.url), "utf8");
  const names = [...page.matchAll(/(?:src|href)="\/?([^"]+)"/g)].map(([, name]) => name);
  return names.filter((name) => name.endsWith(extension)).map((name) => `dist/pwa/${name}`);
}

const budget = (name, path, limit) => ({ name, path, limit, gzip: true });

/** "NAME LIMIT", where the build has made files of that name. */
function feature(text) {
  const [name, ...limit] = text.split(" ");
  const files = readdirSync(new URL("dist/worker", import.meta.url)).filter((file) =>
    file.startsWith(`${name}-`),
  );
  return files.length > 0
    ? [
        budget(
          `worker, ${name}`,
          files.map((file) => `dist/worker/${file}`),
          limit.join(" "),
        ),
      ]
    : [];
}

export default [
  budget("PWA initial JS", initial(".js"), "40 KB"),
  budget("PWA initial CSS", initial(".css"), "8 KB"),
  budget("worker script", ["dist/worker.mjs", "dist/worker/start-*.mjs"], "200 KB"),
  // What few requests need, so that the start, which each isolate parses, stays small: code that moves out of the start
  // comes here. Features with many parts have files and a budget of their own: build/parts.ts.
  budget(
    "worker, loaded when needed",
    ["dist/worker/*.mjs", "!dist/worker/{start,forges,engines,extras}-*.mjs"],
    "64 KB",
  ),
  ...["forges 20 KB", "engines 24 KB", "extras 25 KB"].flatMap(feature),
  budget("sandbox server", "dist/sandbox.mjs", "160 KB"),
];
