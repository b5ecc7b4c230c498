// Keeps out of the edge's bundles what hono's classes bring along for methods that no route calls, which tree shaking
// cannot know: 2.5 KB gzip. A call of one throws, and so fails the first test that makes it.
import type { Plugin } from "rolldown";

/** The imported module, the file that imports it, and its names. */
const unused: readonly { source: string; importer: string; names: readonly string[] }[] = [
  // `c.req.parseBody()`: forms.
  { source: "./utils/body.js", importer: "/hono/dist/request.js", names: ["parseBody"] },
  // `app.mount()`: applications of other frameworks.
  { source: "./utils/mount.js", importer: "/hono/dist/hono-base.js", names: ["createMountedRequest"] },
  { source: "./helper/route/index.js", importer: "/hono/dist/hono-base.js", names: ["routePath"] },
  // `c.html()`.
  {
    source: "./utils/html.js",
    importer: "/hono/dist/context.js",
    names: ["HtmlEscapedCallbackPhase", "resolveCallback"],
  },
];
const stub = "\0unused-hono/";

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
};
