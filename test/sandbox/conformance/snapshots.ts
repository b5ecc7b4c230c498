// Snapshots on any server of PROTOCOL 4, with the machine's tools and without them.
import { describe, expect, test } from "vitest";
import { GitValue } from "../../../shared/git.ts";
import { ChangeValue, ExecValue, ListValue, SearchValue } from "../../../shared/sandbox.ts";
import { SnapshotValue } from "../../../shared/snapshot.ts";
import type { SandboxClient } from "../sandbox-client.ts";
import { hello } from "./target.ts";

export function describeSnapshots(client: () => SandboxClient): void {
  const sample = () => client().create({ source: { sample: true } });

  describe("snapshots", () => {
    test("a restore returns the whole workspace to the snapshot and can itself be undone", async () => {
      const { id } = await sample();
      await client()
        .value(ChangeValue, id, "change", {
          files: [hello, { path: ".gitignore", content: "ignored\n", base: null }],
        })
        .catch(async () => client().value(ChangeValue, id, "change", { files: [hello] }));
      const { snapshot } = await client().value(SnapshotValue, id, "snapshot", {});
      await client().value(ExecValue, id, "exec", {
        command: "rm -r notes; echo new > untracked.txt; ln -s README.md link",
      });
      const { snapshot: before } = await client().value(SnapshotValue, id, "restore", { snapshot });
      const look = async () =>
        (
          await client().value(ExecValue, id, "exec", {
            command: "cat notes/hello.txt 2>/dev/null; ls untracked.txt link 2>/dev/null",
          })
        ).stdout;
      expect(await look()).toBe(hello.content);
      await client().value(SnapshotValue, id, "restore", { snapshot: before });
      expect(await look()).toBe("link\nuntracked.txt\n");
    });

    test("the diff since the beginning includes untracked files", async () => {
      const { id } = await sample();
      await client().value(ChangeValue, id, "change", { files: [hello] });
      const { stdout } = await client().value(
        GitValue,
        id,
        "git",
        { verb: "diff", since: "start" },
        "readonly",
      );
      expect(stdout).toContain("+++ b/notes/hello.txt");
      expect(stdout).toContain("+three");
    });

    test("git's own index, refs and stash are unchanged", async () => {
      const { id } = await sample();
      const state = async () =>
        (
          await client().value(ExecValue, id, "exec", {
            command:
              "git stash list && sha256sum .git/index && git log --oneline && git status --porcelain && ls .git",
          })
        ).stdout;
      const before = await state();
      const { snapshot } = await client().value(SnapshotValue, id, "snapshot", {});
      await client().value(SnapshotValue, id, "restore", { snapshot });
      expect(await state()).toBe(before);
    });

    test("a tracked file that .gitignore names belongs to a snapshot", async () => {
      const { id } = await sample();
      const run = (command: string) => client().value(ExecValue, id, "exec", { command });
      await run(
        "echo kept > forced.log && echo '*.log' > .gitignore && echo gone > other.log && git add -f forced.log",
      );
      const { snapshot } = await client().value(SnapshotValue, id, "snapshot", {});
      await run("rm *.log");
      await client().value(SnapshotValue, id, "restore", { snapshot });
      expect((await run("cat *.log")).stdout).toBe("kept\n");
    });

    test("unusual names and file types do no harm", async () => {
      const { id } = await sample();
      const run = (command: string) => client().value(ExecValue, id, "exec", { command });
      const names = [":(top)x", "a b", "-rf", 'q"uote', "new\nline", "ünï", "star*"];
      await client().value(ChangeValue, id, "change", {
        files: names.map((name) => ({ path: `odd/${name}`, content: "odd\n", base: null })),
      });
      await run("mkfifo odd/fifo; git init -q odd/nested; echo n > odd/nested/n; ln -s /etc odd/link");
      const { entries } = await client().value(ListValue, id, "list", { path: "odd" });
      expect(entries.map(({ path }) => path)).toEqual(
        expect.arrayContaining(names.map((name) => `odd/${name}`)),
      );
      const { snapshot } = await client().value(SnapshotValue, id, "snapshot", {});
      await run("rm -r odd");
      await client().value(SnapshotValue, id, "restore", { snapshot });
      const found = await client().value(SearchValue, id, "search", { pattern: "odd", glob: "odd/**" });
      expect(found.matches).toHaveLength(names.length);
    });

    test("another sandbox's snapshot is unknown", async () => {
      const { id } = await sample();
      expect(
        (await client().failure(id, "restore", { snapshot: "0123456789012345678901234567890123456789" }))
          .code,
      ).toBe("not_found");
      expect((await client().failure(id, "restore", { snapshot: "--all" })).code).toBe("not_found");
      const other = await sample();
      const { snapshot } = await client().value(SnapshotValue, other.id, "snapshot", {});
      for (const name of [
        `../${other.id}/${snapshot}`,
        `${other.id}/${snapshot}`,
        `./${snapshot}`,
        "../../../HEAD",
      ])
        for (const [op, args] of [
          ["restore", { snapshot: name }],
          ["git", { verb: "diff", since: name }],
        ] as const)
          expect([name, op, (await client().failure(id, op, args)).code]).toEqual([name, op, "not_found"]);
    });
  });
}
