// Calls of a model that concern settings which editors and shells run.
import { describe, expect, test } from "vitest";
import { editorRisk } from "../../../functions/command-risk/editor-settings.ts";
import { namesEditorSettings } from "../../../shared/editor-names.ts";

const command = (text: string) => editorRisk({ op: "exec", args: { command: text } });

describe("a person is asked before", () => {
  test.each([
    "echo x > .vscode/tasks.json",
    "mkdir -p .idea",
    "cp evil ./.envrc",
    "tee sub/.zed/tasks.json < x",
    "mv x .claude",
    "sed -i s/a/b/ .VSCode/settings.json",
    "cat x | dd of=.mcp.json",
    "true && (rm -rf .devcontainer)",
  ])("%s", (text) => expect(command(text)?.why).toContain("can start programs"));

  test("a file tool that names one, in any spelling", () => {
    for (const path of [".vscode/settings.json", "a/.Idea/x", "./.envrc", "x.code-workspace", ".vscode./x"])
      expect(editorRisk({ op: "change", args: { files: [{ path }] } })).toBeDefined();
    expect(editorRisk({ op: "change", args: { files: [{ path: "a", moveTo: ".exrc" }] } })).toBeDefined();
  });
});

test.each(["cat .vscode/settings.json", "ls .idea", "npm test", "echo .vscode", "grep -r x .claude"])(
  "looking does not ask: %s",
  (text) => expect(command(text)).toBeUndefined(),
);

test("packages may contain such names, and files of the home count in the workspace's own folder only", () => {
  expect(namesEditorSettings("node_modules/a/.vscode/x")).toBe(false);
  expect(namesEditorSettings(".bashrc")).toBe(true);
  expect(namesEditorSettings("fixtures/.bashrc")).toBe(false);
});
