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

test.each(
  ".bsp/sbt.json .crush/x sub/opencode.json .aider.conf.yml .Renviron .RData .perldb .rdbgrc.rb a/jupyter_server_config.py mise.production.toml .sl/config sub/.SL/config .git/sl/config .jj/repo/config.toml .jj/repo/config-id sub/.jj/workspace-config.toml sub/.jj/workspace-config-id".split(
    " ",
  ),
)("%s is such a file", (path) => expect(namesEditorSettings(path)).toBe(true));

test("the reason names the file", () => {
  expect(command("mkdir .idea")?.why).toBe(
    "`.idea`: It changes how an editor, an agent or a shell on your machine behaves; such files can start programs.",
  );
});

test.each(
  "cat ls head tail grep rg egrep fgrep less more wc file stat test [ diff cmp find tree du jq git echo printf cd pwd".split(
    " ",
  ),
)("looking does not ask: %s", (program) => {
  expect(command(`${program} .vscode/settings.json`)).toBeUndefined();
  expect(command(`${program} x > .vscode/settings.json`)).toBeDefined();
});

test("a call that names no such file does not ask", () => {
  expect(command("npm test > log")).toBeUndefined();
  expect(command("> log")).toBeUndefined();
  expect(command("npm test < .vscode/settings.json")).toBeUndefined();
  expect(command("> log; mkdir .idea")).toBeDefined();
  expect(editorRisk({ op: "change", args: { files: [{ path: "a" }, { path: 1 }] } })).toBeUndefined();
  expect(editorRisk({ op: "change", args: { files: ".vscode/x" } })).toBeUndefined();
  expect(editorRisk({ op: "read", args: { command: "mkdir .idea" } })).toBeUndefined();
});

test("packages may contain such names, and files of the home count in the workspace's own folder only", () => {
  expect(namesEditorSettings("node_modules/a/.vscode/x")).toBe(false);
  expect(namesEditorSettings(".bashrc")).toBe(true);
  expect(namesEditorSettings("fixtures/.bashrc")).toBe(false);
});
