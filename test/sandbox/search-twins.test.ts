// Search with ripgrep and with our own walk gives the same answers, over generated trees, rules and patterns.
// @module-tag long
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ListValue, SearchValue } from "../../shared/sandbox.ts";
import { runs } from "../harness/runs.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let workspace: string;
const servers: { server: RunningServer; id: string }[] = [];

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  for (const env of [{}, { HANDRAIL_NO_RG: "1" }]) {
    const server = await RunningServer.start({ workspace, env });
    servers.push({ server, id: (await server.client.create()).id });
  }
});
afterAll(async () => {
  for (const { server } of servers) await server.stop();
  await removeFolders();
});

const name = fc.constantFrom("a", "b", "c.ts", "d.log", "é", "-x", "sp ace", ".dot", "node_modules", "out");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const content = fc
  .array(fc.constantFrom("foo", "bar foo", "Foo", "fo.o", "", "héé", "\r", "foo\r", "foo(1)", "  foo"), {
    maxLength: 5,
  })
  .map((lines) => lines.join("\n"));
const rule = fc.constantFrom(
  "*.log",
  "out",
  "/a",
  "!keep",
  "node_modules/",
  "b/*",
  "!d.log",
  "**/c.ts",
  "a/b",
  "# x",
  "\\#y",
  "é",
);
const rules = fc.array(fc.tuple(fc.constantFrom("", "a/", "b/"), fc.array(rule, { maxLength: 4 })), {
  maxLength: 2,
});
const query = fc.record(
  {
    pattern: fc.constantFrom("foo", "fo.o", "Foo", "^foo$", "fo+", "\\(", "é", "oo", "bar|héé", "\\bfoo\\b"),
    regex: fc.boolean(),
    glob: fc.constantFrom("*.ts", "a/**", "**/c.ts", "!*.log", "*", "b/*", ".dot", "a/"),
    limit: fc.constantFrom(1, 2, 50),
    context: fc.constantFrom(0, 1),
  },
  { requiredKeys: ["pattern"] },
);

async function plant(files: [string, string][], ignores: [string, string[]][]): Promise<void> {
  await rm(workspace, { recursive: true });
  await mkdir(workspace);
  for (const [file, text] of files) {
    try {
      await mkdir(dirname(join(workspace, file)), { recursive: true });
      await writeFile(join(workspace, file), text);
    } catch {
      // A file exists where a folder would have to be made.
    }
  }
  for (const [folder, lines] of ignores)
    await writeFile(join(workspace, `${folder}.gitignore`), lines.join("\n")).catch(() => undefined);
}

test("ripgrep and our own search find the same lines, and list the same files", {
  tags: "random",
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(path, content), { maxLength: 8 }),
      rules,
      fc.array(query, { minLength: 1, maxLength: 4 }),
      async (files, ignores, queries) => {
        await plant(files, ignores);
        for (const args of queries) {
          const [byRipgrep, byWalk] = await Promise.all(
            servers.map(async ({ server, id }) => {
              const result = await server.client.call(id, "search", args, "readonly");
              if (!result.ok) return result.error?.code;
              const { matches, truncated } = result.value as SearchValue;
              return { truncated, matches: matches.map(({ path: found, rows }) => [found, rows]) };
            }),
          );
          expect([args, byWalk]).toEqual([args, byRipgrep]);
        }
        const [all, found] = await Promise.all(
          servers.map(async ({ server, id }, index) =>
            index === 0
              ? (await server.client.value(ListValue, id, "list", { glob: "**" }, "readonly")).entries.map(
                  (entry) => entry.path,
                )
              : [
                  ...(
                    await server.client.value(SearchValue, id, "search", { pattern: "foo" }, "readonly")
                  ).matches.map((match) => match.path),
                ],
          ),
        );
        expect(all).toEqual(expect.arrayContaining(found ?? []));
      },
    ),
    {
      numRuns: runs(40, 5),
      examples: [
        // There are folders of that name at several depths.
        [
          [
            ["a/a", ""],
            ["b/a/a", "Foo"],
          ],
          [],
          [{ pattern: "Foo", glob: "a/" }],
        ],
      ],
    },
  );
});
