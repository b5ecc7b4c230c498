// Command lines that may run read-only without a jail. Everything that is not known to be harmless is
// refused.
import { readdir, readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAllowed } from "../../sandbox/allow-list/run-allowed.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { allowed, refused } from "./command-lines.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

test.each(allowed)("allows %s", (line) => {
  expect(() => checkAllowed(line)).not.toThrow();
});

test.each(refused)("refuses %s", (line) => {
  expect(() => checkAllowed(line)).toThrow(expect.objectContaining({ code: "readonly" }));
});

test("no line with an unquoted shell character is allowed, wherever the character is", () => {
  const word = fc.constantFrom("ls", "cat", "a.ts", "-la", "git", "log", "'q x'", '"d x"');
  const shell = fc.constantFrom(
    ";",
    "|",
    "<",
    ">",
    "$",
    "`",
    "(",
    ")",
    "{",
    "}",
    "\n",
    "\r",
    "*",
    "?",
    "[",
    "&",
    "$(",
    "&>",
    ";;",
  );
  fc.assert(
    fc.property(
      fc.array(word),
      shell,
      fc.array(word),
      fc.constantFrom("", " "),
      (before, bad, after, gap) => {
        const line = `${before.join(" ")}${gap}${bad}${gap}${after.join(" ")}`;
        if (line.trim() === "" || /^[^;|<>$`(){}\r*?[&\n]*\n+$/.test(line)) return;
        expect(() => checkAllowed(line)).toThrow();
      },
    ),
  );
});

describe("on a server without a jail", () => {
  let server: RunningServer;
  let workspace: string;
  beforeAll(async () => {
    workspace = await freshFolder("workspace");
    server = await RunningServer.start({ workspace, env: { HANDRAIL_NO_BWRAP: "1" } });
  });
  afterAll(async () => {
    await server.stop();
    await removeFolders();
  });

  test("capabilities say that read-only commands are limited to the list", async () => {
    expect((await server.client.get("/capabilities")).body).toMatchObject({
      isolation: "none",
      readonlyExec: "allowlist",
    });
  });

  test("an allowed chain runs without a shell and streams its output", async () => {
    const { id } = await server.client.create();
    await server.client.call(id, "change", { files: [{ path: "a.txt", content: "one\ntwo\n", base: null }] });
    const value = await server.client.value(
      ExecValue,
      id,
      "exec",
      { command: "cat a.txt && wc -l a.txt && cat missing && echo never" },
      "readonly",
    );
    expect(value).toMatchObject({
      exitCode: 1,
      stdout: "one\ntwo\n2 a.txt\n",
      stderr: expect.stringContaining("missing"),
    });
  });

  test("a refused command changes nothing, and the error says what may run", async () => {
    const { id } = await server.client.create();
    const before = await readdir(workspace);
    for (const command of ["touch made", "echo x > made", "ls; touch made"]) {
      const error = await server.client.failure(id, "exec", { command }, "readonly");
      expect(error).toMatchObject({ code: "readonly", message: expect.stringContaining("git log") });
    }
    expect(await readdir(workspace)).toEqual(before);
  });

  test("a link out of the workspace is not followed, by name or while walking", async () => {
    const { id } = await server.client.create();
    await server.client.value(ExecValue, id, "exec", {
      command:
        "ln -s /etc way-out && ln -s /etc/passwd ./-out && mkdir -p inner && ln -s inner way-in && echo inside > inner/f",
    });
    for (const command of [
      "cat way-out/passwd",
      "head -c 9 way-out/passwd",
      "grep root way-out/passwd",
      "ls way-out",
      "rg -L root .",
      "grep -R root .",
      "ls -RL .",
      "cat -- -out",
      "grep -rfway-out/passwd .",
      "grep -rf./way-out/passwd .",
    ]) {
      const { code } = await server.client.failure(id, "exec", { command }, "readonly");
      expect([command, code]).toEqual([command, "readonly"]);
    }
    const { stdout } = await server.client.value(
      ExecValue,
      id,
      "exec",
      { command: "cat way-in/f" },
      "readonly",
    );
    expect(stdout).toBe("inside\n");
    await server.client.value(ExecValue, id, "exec", { command: "rm way-out ./-out" });
  });

  test("a repository's own filters and drivers do not run", async () => {
    const { id } = await server.client.create();
    await server.client.value(ExecValue, id, "exec", {
      command: `git init -q . && git config user.email a@b && git config user.name a && echo one > f && git add f && git commit -qm one
        git config filter.x=y.clean 'touch pwned; cat' && git config diff.d.textconv 'touch pwned; cat' && git config diff.external 'touch pwned'
        git config core.fsmonitor 'touch pwned' && git config core.pager 'touch pwned' && printf '* filter=x=y diff=d\\n' > .gitattributes && echo two > f; rm -f pwned`,
    });
    for (const command of [
      "git status",
      "git diff",
      "git log -p",
      "git show",
      "git blame f",
      "git grep one",
    ]) {
      await server.client.value(ExecValue, id, "exec", { command }, "readonly");
      expect([command, (await readdir(workspace)).includes("pwned")]).toEqual([command, false]);
    }
    for (const verb of ["status", "diff", "log", "show", "branch"])
      await server.client.call(id, "git", { verb }, "readonly");
    expect(await readFile(`${workspace}/f`, "utf8")).toBe("two\n");
    expect(await readdir(workspace)).not.toContain("pwned");
  });
});
