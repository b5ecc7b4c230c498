import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inTool } from "../../../scripts/tools/get-tools.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let folder = "";

function newFolder(): void {
  folder = mkdtempSync(join(tmpdir(), "handrail-lint-"));
  for (const name of ["biome.json", "package.json", "tsconfig.base.json", "scripts/lint"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}
function removeFolder(): void {
  rmSync(folder, { recursive: true, force: true });
}
beforeEach(newFolder);
afterEach(removeFolder);

/** The linter's report about the files, with the project's own configuration; "" if there is none. */
function lint(files: Readonly<Record<string, string>>, ...options: string[]): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const biome = inTool("biome", ".bin/biome");
  const done = spawnSync(biome, ["lint", "--error-on-warnings", ...options, "."], {
    cwd: folder,
    encoding: "utf8",
  });
  return done.status === 0 ? "" : done.stdout + done.stderr;
}

const uses = (path: string) => `import { a } from "${path}";\n\nexport const b = a;\n`;
const usesType = (path: string) => `import type { A } from "${path}";\n\nexport const b = (a: A) => a;\n`;

const refused: [folder: string, path: string][] = [
  ["shared", "../functions/app.ts"],
  ["shared/plan", "../../sandbox/main.ts"],
  ["shared", "node:fs"],
  ["shared", "hono"],
  ["functions", "../sandbox/main.ts"],
  ["functions/turn", "../../sandbox/main.ts"],
  ["functions/turn", "../../pwa/main.tsx"],
  ["functions/turn", "hono"],
  ["functions/turn", "../routes/turn.ts"],
  ["functions/turn", "openai"],
  ["functions/turn", "hono/streaming"],
  ["functions/routes", "openai"],
  ["functions/routes", "node:fs"],
  ["functions", "cloudflare:workers"],
  ["functions/model", "hono"],
  ["functions/model", "../calls/prepared.ts"],
  ["functions/context", "../calls/tool-turn.ts"],
  ["functions/calls", "../plan/rail.ts"],
  ["functions/plan", "../tools/tool-index.ts"],
  ["functions/plan", "../compaction/marker.ts"],
  ["functions/tools", "../compaction/marker.ts"],
  ["functions/compaction", "../inputs/opening.ts"],
  ["functions/inputs", "../turn/loop.ts"],
  ["functions/command-risk", "../turn/gate.ts"],
  ["functions/plan", "../command-risk/command-line.ts"],
  ["functions/explore", "../command-risk/needs-network.ts"],
  ["functions/command-risk", "hono"],
  ["sandbox", "../functions/app.ts"],
  ["sandbox/ops", "../../functions/app.ts"],
  ["demo", "../functions/app.ts"],
  ["pwa", "../sandbox/main.ts"],
  ["pwa/pages", "../../functions/app.ts"],
  ["pwa", "node:fs"],
  ["pwa/storage", "../session/open-session.ts"],
  ["pwa/words", "../app/app.ts"],
  ["pwa/browser", "../session/intents.ts"],
  ["pwa/session", "../app/app.ts"],
  ["pwa/app", "../components/sheet.tsx"],
  ["pwa/transfer", "../sheets/import-sheet.tsx"],
  ["pwa/components", "../transcript/rows.ts"],
  ["pwa/transcript", "../sheets/plan-sheet.tsx"],
  ["pwa/transcript", "../transfer/disarm.ts"],
  ["pwa/components", "../transfer/disarm.ts"],
  ["pwa/sheets", "../pages/session-page.tsx"],
  ["pwa/session", "../../functions/app.ts"],
];

describe("refused imports", () => {
  /** The files of all cases in which the linter finds a forbidden import. It is started only once for all. */
  let found = "";
  const file = (folder: string, path: string, kind: string) =>
    `${folder}/${kind}-${path.replace(/\W+/g, "-").replace(/^-/, "")}.ts`;
  beforeAll(() => {
    newFolder();
    const cases = refused.flatMap(([folder, path]) => [
      [file(folder, path, "value"), uses(path)] as const,
      [file(folder, path, "type"), usesType(path)] as const,
    ]);
    found = lint(Object.fromEntries(cases), "--max-diagnostics=none", "--reporter=github");
    removeFolder();
  });

  test.each(refused)("%s may not import %s, not even its types", (folder, path) => {
    for (const kind of ["value", "type"])
      expect(found).toMatch(new RegExp(`noRestrictedImports,file=\\S*/${file(folder, path, kind)},`));
  });
});

test("what ARCHITECTURE.md allows passes", () => {
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

test("upper layers may import lower ones", () => {
  const files = {
    "functions/live/x.ts": uses("../turn/loop.ts"),
    "functions/turn/x.ts": uses("../inputs/opening.ts"),
    "functions/inputs/x.ts": uses("../plan/restore.ts"),
    "functions/compaction/x.ts": uses("../tools/tool-index.ts"),
    "functions/tools/x.ts": uses("../plan/rail.ts"),
    "functions/plan/x.ts": uses("../calls/prepared.ts"),
    "functions/calls/x.ts": uses("../context/carried.ts"),
    "pwa/pages/x.ts": uses("../sheets/plan-sheet.tsx"),
    "pwa/components/x.ts": uses("../app/app.ts"),
    "pwa/app/x.ts": uses("../session/open-session.ts"),
    "pwa/session/x.ts": uses("../words/repository.ts"),
    "pwa/browser/sheet.ts": usesType("../transfer/import-file.ts"),
  };
  expect(lint(files)).toBe("");
});

test("circular imports are refused, also where one of them is of a type", () => {
  const files = {
    "shared/x.ts": 'import { b } from "./y.ts";\n\nexport const a = () => b();\n',
    "shared/y.ts": 'import { a } from "./x.ts";\n\nexport const b = (): number => a();\n',
  };
  expect(lint(files)).toContain("noImportCycles");
  const types = {
    "shared/x.ts": 'import type { B } from "./y.ts";\n\nexport type A = B;\n',
    "shared/y.ts": 'import { type A, a } from "./x.ts";\n\nexport type B = A | typeof a;\n',
  };
  expect(lint(types)).toContain("noImportCycles");
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
