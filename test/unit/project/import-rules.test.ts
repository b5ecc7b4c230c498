import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handrail-lint-"));
  for (const name of ["biome.json", "package.json", "tsconfig.base.json", "scripts/lint"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the linter says of the files, with the project's own configuration; "" when all is well. */
function lint(files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const biome = join(root, "node_modules/.bin/biome");
  const done = spawnSync(biome, ["lint", "--error-on-warnings", "."], { cwd: folder, encoding: "utf8" });
  return done.status === 0 ? "" : done.stdout + done.stderr;
}

const uses = (path: string) => `import { a } from "${path}";\n\nexport const b = a;\n`;
const usesType = (path: string) => `import type { A } from "${path}";\n\nexport const b = (a: A) => a;\n`;

test.each([
  ["shared/x.ts", "../functions/app.ts"],
  ["shared/plan/x.ts", "../../sandbox/main.ts"],
  ["shared/x.ts", "node:fs"],
  ["shared/x.ts", "hono"],
  ["functions/x.ts", "../sandbox/main.ts"],
  ["functions/turn/x.ts", "../../sandbox/main.ts"],
  ["functions/turn/x.ts", "../../pwa/main.tsx"],
  ["functions/turn/x.ts", "hono"],
  ["functions/turn/x.ts", "../routes/turn.ts"],
  ["functions/turn/x.ts", "openai"],
  ["functions/turn/x.ts", "hono/streaming"],
  ["functions/routes/x.ts", "openai"],
  ["functions/routes/x.ts", "node:fs"],
  ["functions/env.ts", "cloudflare:workers"],
  ["functions/model/x.ts", "hono"],
  ["functions/command-risk/x.ts", "../turn/gate.ts"],
  ["functions/command-risk/x.ts", "hono"],
  ["sandbox/x.ts", "../functions/app.ts"],
  ["sandbox/ops/x.ts", "../../functions/app.ts"],
  ["demo/x.ts", "../functions/app.ts"],
  ["pwa/x.ts", "../sandbox/main.ts"],
  ["pwa/pages/x.ts", "../../functions/app.ts"],
  ["pwa/x.ts", "node:fs"],
])("%s may not import %s, not even its types", (file, path) => {
  expect(lint({ [file]: uses(path) })).toContain("noRestrictedImports");
  expect(lint({ [file]: usesType(path) })).toContain("noRestrictedImports");
});

test("what DESIGN allows passes", () => {
  const files = {
    "functions/model/x.ts": uses("openai"),
    "functions/turn/x.ts": uses("../sandbox/client.ts"),
    "functions/routes/x.ts": uses("hono"),
    "functions/worker.ts": uses("cloudflare:workers"),
    "pwa/pages/x.ts": uses("../../shared/sandbox.ts"),
    "sandbox/x.ts": uses("node:fs"),
  };
  expect(lint(files)).toBe("");
});

test("imports in a circle are refused", () => {
  const files = {
    "shared/x.ts": 'import { b } from "./y.ts";\n\nexport const a = () => b();\n',
    "shared/y.ts": 'import { a } from "./x.ts";\n\nexport const b = (): number => a();\n',
  };
  expect(lint(files)).toContain("noImportCycles");
});

test("an import without its extension is refused", () => {
  const files = { "shared/x.ts": uses("./y"), "shared/y.ts": "export const a = 1;\n" };
  expect(lint(files)).toContain("useImportExtensions");
});

test.each([
  ["a barrel", "export * from './errors.ts';\n", "noReExportAll"],
  ["a default export", "export default 1;\n", "noDefaultExport"],
  ["`any`", "export const a = (b: any) => b;\n", "noExplicitAny"],
  ["`as unknown as`", "export const a = (b: number) => b as unknown as string;\n", "proves nothing"],
  [
    "a promise left alone",
    "async function a() {\n  await 1;\n}\nexport const b = () => {\n  a();\n};\n",
    "noFloatingPromises",
  ],
  ["a file of 301 lines", `${"// line\n".repeat(300)}export const a = 1;\n`, "noExcessiveLinesPerFile"],
])("%s is refused", (_, text, rule) => {
  expect(lint({ "shared/x.ts": text })).toContain(rule);
});
