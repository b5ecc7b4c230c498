// Names on one line: whatever a component draws of a name that hides something, nothing of it stays hidden.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPage } from "./drawn-page.ts";
import { components } from "./named-components.ts";
import { sheets } from "./named-sheets.ts";

/**
 * Bare values that are words of ours, of the person or of Markdown, whole commands, counts, a code to type elsewhere,
 * and hosts and models.
 */
const ownWords = new Set(
  [
    ...["components/command", "components/menu-row", "components/model-choice", "components/token-field"],
    ...["markdown/code", "markdown/markdown", "pages/forges-section", "pages/malformed-section"],
    ...["pages/new-session-page", "pages/settings-section", "sheets/decide-sheets", "sheets/duplicate-sheet"],
    ...["sheets/plan-sheet", "sheets/push-sheet", "transcript/call-card", "transcript/plan-comparison"],
    ...["transcript/ran-unasked", "transcript/refused-hosts"],
  ].map((path) => `${path}.tsx`),
);

const surfaces = { ...components, ...sheets };
const app = "pwa/";
const sources = readdirSync(app, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".tsx"))
  .map((path) => ({ path, code: readFileSync(`${app}${path}`, "utf8") }));
const callsIn = (code: string) => code.split("oneLineOf(").length - 1;

let close = (): void => undefined;
beforeAll(() => {
  close = openPage();
});
afterAll(() => close());

/** As `hidden-text.ts` of the browser suites looks for it; in one line, tabs and line ends hide too. */
const hidden = /(?![ \n\t])[\p{C}\p{Z}\p{DI}\u2800]| {41}/u;
const hiddenInLine = /[\n\t]/;

test("every component that draws names on one line is drawn here", () => {
  const drawing = sources.filter(({ code }) => callsIn(code) > 0).map(({ path }) => path);
  expect(drawing.toSorted()).toEqual(Object.keys(surfaces).toSorted());
});

test("a value alone in a heading, in bold or as code is drawn as a name on one line", () => {
  const bare = sources.filter(({ code }) => /<(b|code|h[1-4])( [^>]*)?>\{[\w.]+\}<\//.test(code));
  expect(bare.map(({ path }) => path).filter((path) => !ownWords.has(path))).toEqual([]);
});

test.each(Object.entries(surfaces))("%s shows all of a name, wherever it draws it", async (path, draw) => {
  const all = await draw();
  const lines = all.flatMap((one) => one.lines);
  const marked = lines.filter((line) => line.includes("⟨U+0009⟩"));
  expect(lines.filter((line) => hidden.test(line) || hiddenInLine.test(line))).toEqual([]);
  expect(all.flatMap((one) => one.others).filter((text) => hidden.test(text))).toEqual([]);
  // A mark that is marked again no longer says which character it is about.
  expect(lines.filter((line) => line.includes("⟨U+27E8⟩"))).toEqual([]);
  const { code = "" } = sources.find((source) => source.path === path) ?? {};
  expect(marked.length).toBeGreaterThanOrEqual(callsIn(code));
});
