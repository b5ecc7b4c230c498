import { expect, test } from "vitest";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { ordinaryLines } from "./ordinary-lines.ts";

const { redact } = createRedactor();

test.each(ordinaryLines)("`%s` stays", (line) => {
  for (const text of [line, `first\n${line}\nlast\n`, `  ${line}\n`]) expect(redact(text)).toBe(text);
});
