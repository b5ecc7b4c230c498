// Keeps out of the servers' bundles what hono's classes bring along for methods that no route calls, and what
// node-fetch-server has for proxies before it, which tree shaking cannot know: 3.5 KB gzip. A call of one fails the first
// test that makes it.
import type { Plugin } from "rolldown";

/** What is imported, from which file, and the names it has there. */
const unused: readonly { source: string; importer: string; names: readonly string[] }[] = [
  // `c.req.parseBody()`: forms.
  { source: "./utils/body.js", importer: "/hono/dist/request.js", names: ["parseBody"] },
];
const stub = "\0unused-hono/";

/** Methods, by their file: from where each begins to what comes after it. */
const methods: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  // `app.mount()`, `app.request()`, `app.fire()`.
  "/hono/dist/hono-base.js": [
    ["\tmount(path,", "\t#addRoute(method,"],
    ["\trequest = (", "};\n//#endregion"],
  ],
  // `c.event`, `c.render()` with its like, `c.html()`, `c.redirect()`.
  "/hono/dist/context.js": [
    ["\tget event()", "\tget executionCtx()"],
    ["\trender = (", "\theader = ("],
    ["\thtml = (", "\tnotFound = ("],
  ],
};

function withoutMethods(code: string, id: string): string {
  const cuts = Object.entries(methods).find(([file]) => id.endsWith(file))?.[1] ?? [];
  return cuts.reduce((text, [from, to]) => {
    const [start, end] = [text.indexOf(from), text.lastIndexOf(to)];
    if (start < 0 || end < start) throw new Error(`hono has no ${from.trim()} any more: see unused-hono.ts`);
    return text.slice(0, start) + text.slice(end);
  }, code);
}

export const unusedHono: Plugin = {
  name: "unused-hono",
  resolveId: (source, importer = "") => {
    const at = unused.findIndex((one) => one.source === source && importer.endsWith(one.importer));
    return at < 0 ? null : `${stub}${at}`;
  },
  load: (id) => {
    const names = id.startsWith(stub) ? unused[Number(id.slice(stub.length))]?.names : undefined;
    const fails = '() => { throw new Error("scripts/build/unused-hono.ts leaves this out"); }';
    return names?.map((name) => `export const ${name} = ${fails};\n`).join("") ?? null;
  },
  transform: (code, id) => ({
    // `Forwarded` and its like, which the sandbox server never believes.
    code: id.endsWith("/node-fetch-server/dist/lib/request-listener.js")
      ? code.replaceAll("options?.trustProxy", "false")
      : withoutMethods(code, id),
    map: null,
  }),
};
