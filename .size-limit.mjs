// The size budgets: what a phone loads before the first paint, the script that a worker starts with and what it loads
// when a request needs it, the sandbox server. Gzip.
import { readFileSync } from "node:fs";

/** What index.html itself names: scripts, their preloads, styles. Everything else is lazy. */
function initial(extension) {
  const page = readFileSync(new URL("dist/pwa/index.html", import.meta.url), "utf8");
  const names = [...page.matchAll(/(?:src|href)="\/?([^"]+)"/g)].map(([, name]) => name);
  return names.filter((name) => name.endsWith(extension)).map((name) => `dist/pwa/${name}`);
}

const budget = (name, path, limit) => ({ name, path, limit, gzip: true });

export default [
  budget("PWA initial JS", initial(".js"), "40 KB"),
  budget("PWA initial CSS", initial(".css"), "8 KB"),
  budget("worker script", ["dist/worker.mjs", "dist/worker/start-*.mjs"], "200 KB"),
  // Whole features that few requests need are here: notifications, the histories of sessions, commits, pushes and forges.
  budget("worker, loaded when needed", ["dist/worker/*.mjs", "!dist/worker/start-*.mjs"], "64 KB"),
  budget("sandbox server", "dist/sandbox.mjs", "160 KB"),
];
