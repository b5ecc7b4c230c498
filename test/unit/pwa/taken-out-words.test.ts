import { expect, test } from "vitest";
import { takenOutInWords } from "../../../pwa/transcript/taken-out-words.ts";

test("a command's card names what the sandbox took out after it", () => {
  const taken = (path: string) => `[taken out by the sandbox: ${path} (an editor runs it; kept)]`;
  expect(takenOutInWords("exit 0\n(no output)")).toBeUndefined();
  expect(takenOutInWords(`exit 0\n${taken("pk/.vscode")}\n[what was taken out is kept]`)).toBe("pk/.vscode");
  expect(takenOutInWords([taken("a/.git"), taken("b (c)"), taken("a/.git")].join("\n"))).toBe(
    "a/.git and 1 more",
  );
});
