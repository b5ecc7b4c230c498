// Leaves out of a bundle what the edge never calls of two packages: it posts through openai and reads the raw answer, and hono routes.
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** What stands in for a whole file of a package. */
const standIns: Readonly<Record<string, string>> = {
  // Headers that describe the machine to a provider, variables of the package's own, its log, its reader of answers.
  "openai/internal/detect-platform.mjs":
    "export const isRunningInBrowser = () => false; export const getPlatformHeaders = () => ({});",
  "openai/internal/utils/env.mjs": "export const readEnv = () => undefined;",
  "openai/internal/utils/log.mjs": `const nothing = () => {}; const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing };
    export const loggerFor = () => silent, formatRequestDetails = nothing, parseLogLevel = () => "off";`,
  "openai/internal/parse.mjs": "export const defaultParseResponse = undefined, addRequestID = undefined;",
  // Forms and HTML.
  "hono/dist/utils/body.js": "export const parseBody = undefined;",
  "hono/dist/utils/html.js": "export const resolveCallback = undefined, HtmlEscapedCallbackPhase = {};",
};

/** What is left out of a file. */
interface Cut {
  /** Imports of such files become classes with nothing in them. */
  imports?: RegExp;
  /** By name. */
  methods?: readonly string[];
  /** From a line that begins so to the brace that closes it. */
  blocks?: readonly string[];
  /** From a line that begins so to the semicolon that ends it. */
  statements?: readonly string[];
  lines?: readonly RegExp[];
}

/** Its API classes, other ways to sign in, and query strings. */
const imports = /^\.\.?\/(?:(?:[\w/-]*\/)?resources\/|auth\/|internal\/utils\/query\.)/;

const cuts: Readonly<Record<string, Cut>> = {
  "openai/client.mjs": {
    imports,
    // It is given a key, makes one attempt, and is asked for nothing but posts.
    methods: [
      ...["withOptions", "get", "patch", "put", "delete", "getAPIList", "requestAPIList"],
      ...["prepareOptions", "_callApiKey", "defaultIdempotencyKey"],
      ...["shouldRetry", "retryRequest", "calculateDefaultRetryTimeoutMillis"],
    ],
    blocks: [
      ...[
        "if (!providerRuntime &&",
        "if (!options.dangerouslyAllowBrowser",
        "if (this._workloadIdentityAuth",
      ],
      ...["if (this.idempotencyHeader", "if (retriesRemaining &&", "if (response.status === 401 &&"],
      "if (response instanceof OAuthError",
    ],
    statements: [
      ...["await this.prepareOptions(", "loggerFor(this).", "const specialHeaders =", "const responseInfo ="],
      ...["const shouldRetry =", "const retryMessage =", "const terminalMessage ="],
    ],
    lines: [
      /this\.\w+ = new API\.\w+\(this\);/,
      /OpenAI\.(?!DEFAULT_TIMEOUT)\w+ = .*;/,
      /message: getConnectionErrorMessage\(response\),/,
    ],
  },
  "openai/bedrock.mjs": { imports },
  // The edge reads a status, not the name of its class.
  "openai/core/error.mjs": { blocks: ["if (status ="] },
  "hono/dist/hono-base.js": { methods: ["mount"] },
};

/**
 * The client makes an instance of every API it offers, which is half of a worker's script. Whoever comes to
 * need what is left out meets a method that does not exist in the first test that runs a bundle. Should a
 * package come to be written differently, so that a cut finds nothing or leaves a call behind, the build fails.
 */
export const onlyWhatIsCalled: Plugin = {
  name: "only-what-is-called",
  setup(build) {
    const missing = new Set([...Object.keys(standIns), ...Object.keys(cuts)]);
    for (const [file, contents] of Object.entries(standIns)) {
      build.onLoad({ filter: inPackages(file) }, () => {
        missing.delete(file);
        return { contents };
      });
    }
    for (const [file, cut] of Object.entries(cuts)) {
      build.onLoad({ filter: inPackages(file) }, async ({ path }) => {
        missing.delete(file);
        return { contents: without(cut, await readFile(path, "utf8")) };
      });
    }
    build.onEnd(() => ({
      errors: [...missing].map((file) => ({ text: `Nothing loads ${file} any more.` })),
    }));
  },
};

/** Throws where a cut finds nothing, or leaves a call of what it took. */
export function without(cut: Cut, source: string): string {
  let rest = cut.imports ? replaced(source, importLine, emptied(cut.imports)) : source;
  for (const name of cut.methods ?? []) rest = replaced(rest, toClosingBrace(`(?:async )?${name}\\(`));
  for (const start of cut.blocks ?? []) rest = replaced(rest, toClosingBrace(escaped(start)));
  for (const start of cut.statements ?? [])
    rest = replaced(rest, new RegExp(`^ *${escaped(start)}[^]*?;$`, "gm"));
  for (const line of cut.lines ?? []) rest = replaced(rest, new RegExp(`^ *${line.source}$`, "gm"));
  const called = cut.methods?.filter((name) => rest.includes(`this.${name}(`)) ?? [];
  if (called.length > 0) throw new Error(`Left out, and still called: ${called.join(", ")}.`);
  return rest;
}

function replaced(source: string, what: RegExp, by: (...match: string[]) => string = () => ""): string {
  const rest = source.replace(what, by);
  if (rest === source) throw new Error(`Nothing is like ${what} any more.`);
  return rest;
}

const importLine = /^import (?:\{([^}]*)\}|\* as (\w+)) from ["']([^"']+)["'];$/gm;

function emptied(files: RegExp) {
  return (line = "", names = "", namespace = "", file = ""): string => {
    if (!files.test(file)) return line;
    if (namespace === "") return emptyClasses(names);
    return `const ${namespace} = /* @__PURE__ */ new Proxy({}, { get: () => class {} });`;
  };
}

function emptyClasses(names: string): string {
  const own = names.split(",").map(
    (name) =>
      name
        .trim()
        .split(/\s+as\s+/)
        .at(-1) ?? "",
  );
  return own.map((name) => (name === "" ? "" : `class ${name} {}`)).join(" ");
}

/** What begins so on a line of its own, to the brace below that stands where the line began. */
function toClosingBrace(start: string): RegExp {
  return new RegExp(`^([ \\t]*)${start}[^]*?^\\1\\};?$`, "gm");
}

function escaped(text: string): string {
  return text.replace(/[.()!=&]/g, "\\$&");
}

function inPackages(file: string): RegExp {
  return new RegExp(`[\\\\/]node_modules[\\\\/]${escaped(file).replaceAll("/", "[\\\\/]")}$`);
}
