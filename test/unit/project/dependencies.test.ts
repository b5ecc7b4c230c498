import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod/mini";

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const Package = z.object({
  license: z.optional(z.string()),
  dependencies: z.optional(z.record(z.string(), z.string())),
});
const read = (path: string) => Package.parse(JSON.parse(readFileSync(root(path), "utf8")));

test("ARCHITECTURE.md lists every runtime dependency that a clone installs, with its license, and no other", () => {
  const used = Object.keys(read("package.json").dependencies ?? {});
  const table = readFileSync(root("ARCHITECTURE.md"), "utf8").split("## Dependencies at run time")[1] ?? "";
  const listed = [...table.matchAll(/^\| (\S+) \| ([^|]+) \|/gm)]
    .map(([, name = "", license = ""]) => [name, license])
    .filter(([name]) => name !== "package" && name !== "---");
  const licenses = used.map((name) => [name, read(`node_modules/${name}/package.json`).license]);
  expect(listed.sort()).toEqual(licenses.sort());
});

test("what the dependencies of servers and page bundle is named too", () => {
  const building = ["tsx", "rolldown", "vite", "vite-plugin-pwa"];
  const used = Object.keys(read("package.json").dependencies ?? {}).filter(
    (name) => !building.includes(name),
  );
  const brought = used.flatMap((name) =>
    Object.keys(read(`node_modules/${name}/package.json`).dependencies ?? {}),
  );
  expect([...new Set(brought)]).toEqual(["uint8array-extras", "@preact/signals-core"]);
});
