import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandHints } from "../../../pwa/session/commands.ts";
import { modeMeanings } from "../../../pwa/words/mode-words.ts";
import { Mode } from "../../../shared/mode.ts";

test.each(Mode.def.values)("%s means the same in the pill, among the commands and in the docs", (mode) => {
  const hint = commandHints("/mode ").find(({ insert }) => insert === `/mode ${mode}`);
  expect(hint?.meaning).toBe(modeMeanings[mode]);
  const docs = readFileSync(new URL("../../../docs/plan-mode.md", import.meta.url), "utf8");
  expect(docs).toContain(`| ${modeMeanings[mode]} |`);
});
