// Leaves the openai package's API classes out of a bundle: the edge posts through its client and calls none of them.
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** Also unused: other ways to sign in, and query strings. */
const named =
  /^import \{([^}]*)\} from ["']\.\.?\/(?:(?:[\w/-]*\/)?resources\/|auth\/|internal\/utils\/query\.)[^"']+["'];$/gm;
const namespace = /^import \* as (\w+) from ["']\.\.?\/(?:[\w/-]*\/)?resources\/[^"']+["'];$/gm;

/**
 * The client makes an instance of every API it offers, which is half of a worker's script. Each becomes
 * a class with nothing in it; whoever comes to need one meets a method that does not exist in the first
 * test that runs the bundle. Should the package come to write its imports differently, nothing is left
 * out and the size budget says so.
 */
export const onlyOpenAiCore: Plugin = {
  name: "only-openai-core",
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/]openai[\\/][^\\/]+\.mjs$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      return {
        contents: source
          .replace(named, emptyClasses)
          .replace(namespace, "const $1 = new Proxy({}, { get: () => class {} });"),
      };
    });
  },
};

function emptyClasses(_: string, list: string): string {
  const names = list.split(",").map(
    (name) =>
      name
        .trim()
        .split(/\s+as\s+/)
        .at(-1) ?? "",
  );
  return names.map((name) => (name === "" ? "" : `class ${name} {}`)).join(" ");
}
