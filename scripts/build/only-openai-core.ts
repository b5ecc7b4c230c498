// Leaves out of a bundle what the edge never calls of the openai package: it posts through the client and reads the raw answer.
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** Also unused: other ways to sign in, and query strings. */
const named =
  /^import \{([^}]*)\} from ["']\.\.?\/(?:(?:[\w/-]*\/)?resources\/|auth\/|internal\/utils\/query\.)[^"']+["'];$/gm;
const namespace = /^import \* as (\w+) from ["']\.\.?\/(?:[\w/-]*\/)?resources\/[^"']+["'];$/gm;

/** What stands in for a file: headers that describe the machine to a provider, its own reader of streams, uploads, pages of lists, its log. */
const standIns: Readonly<Record<string, string>> = {
  "internal/detect-platform.mjs":
    "export const isRunningInBrowser = () => false; export const getPlatformHeaders = () => ({});",
  "core/streaming.mjs": "export class Stream {}",
  "core/uploads.mjs": "export const toFile = undefined, toStreamingFile = undefined;",
  "core/pagination.mjs": "export class PagePromise {}",
  "internal/utils/log.mjs": `const nothing = () => {}; const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing };
    export const loggerFor = () => silent, formatRequestDetails = nothing, parseLogLevel = () => "off";`,
};

/**
 * The client makes an instance of every API it offers, which is half of a worker's script. Each becomes
 * a class with nothing in it; whoever comes to need one meets a method that does not exist in the first
 * test that runs the bundle. Should the package come to write its imports differently, nothing is left
 * out and the size budget says so.
 */
export const onlyOpenAiCore: Plugin = {
  name: "only-openai-core",
  setup(build) {
    for (const [file, contents] of Object.entries(standIns)) {
      const filter = new RegExp(`[\\\\/]node_modules[\\\\/]openai[\\\\/]${file.replace("/", "[\\\\/]")}$`);
      build.onLoad({ filter }, () => ({ contents }));
    }
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
