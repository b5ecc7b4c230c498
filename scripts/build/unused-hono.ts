// Keeps out of the servers' bundles hono's methods that no route calls, and what they bring along, which tree shaking cannot
// know: 4 KB gzip. A call of one throws, and so fails the first test that makes it.
import type { Plugin } from "rolldown";

/** What is imported, from which file, and the names it has there. */
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
/** Members of its classes, each of which ends with the first line that is indented like its beginning. */
const members: Readonly<Record<string, readonly string[]>> = {
  "/hono/dist/context.js": ["event", "render", "setLayout", "getLayout", "setRenderer", "html", "redirect"],
  "/hono/dist/request.js": [
    ...["#cachedBody", "json", "text", "arrayBuffer", "bytes", "blob", "formData", "parseBody"],
    ...["queries", "addValidatedData", "valid", "matchedRoutes", "routePath"],
  ],
  "/hono/dist/hono-base.js": ["mount", "fire"],
};
const stub = "\0unused-hono/";

export const unusedHono: Plugin = {
  name: "unused-hono",
  resolveId: (source, importer = "") => {
    const at = unused.findIndex((one) => one.source === source && importer.endsWith(one.importer));
    return at < 0 ? null : `${stub}${at}`;
  },
  transform: (code, id) => {
    const names = Object.entries(members).find(([file]) => id.endsWith(file))?.[1];
    return names?.reduce(without, code) ?? null;
  },
  load: (id) => {
    const names = id.startsWith(stub) ? unused[Number(id.slice(stub.length))]?.names : undefined;
    const fails = '() => { throw new Error("scripts/build/unused-hono.ts leaves this out"); }';
    return names?.map((name) => `export const ${name} = ${fails};\n`).join("") ?? null;
  },
};

function without(code: string, name: string): string {
  const less = code.replace(
    new RegExp(`\\n\\t(?:async |get )?${name}(?: = |\\()(?:.*;(?=\\n)|[^]*?\\n\\t\\};?(?=\\n))`),
    "",
  );
  if (less === code) throw new Error(`scripts/build/unused-hono.ts: hono has no ${name} any more`);
  return less;
}
