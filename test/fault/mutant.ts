// A server with one changed line, to verify that the suite detects the change.
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/**
 * The path of a server in which `from` of `file` is replaced by `to`. Throws if `from` is not there (any
 * more).
 */
export async function mutantServer(
  file: string,
  from: string,
  to: string,
  entry: "sandbox/main.ts" | "functions/node.ts" = "sandbox/main.ts",
): Promise<string> {
  const path = resolve(file);
  const source = await readFile(path, "utf8");
  if (!source.includes(from))
    throw new Error(`${file} does not hold ${JSON.stringify(from)}: the mutant is out of date`);
  const outfile = join(await mkdtemp(join(tmpdir(), "handrail-mutant-")), "server.mjs");
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    outfile,
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    plugins: [
      {
        name: "mutant",
        setup(made) {
          made.onLoad({ filter: /\.ts$/ }, (args) =>
            args.path === path ? { contents: source.replace(from, to), loader: "ts" } : undefined,
          );
        },
      },
    ],
  });
  return outfile;
}
