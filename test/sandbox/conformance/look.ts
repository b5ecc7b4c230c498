// Listing and searching on any server of PROTOCOL 4, with the machine's tools and without them.
import { expect, test } from "vitest";
import { ChangeValue, ExecValue, ListValue, SearchValue } from "../../../shared/sandbox.ts";
import type { SandboxClient } from "../sandbox-client.ts";

export function describeLooks(client: () => SandboxClient): void {
  const sample = () => client().create({ source: { sample: true } });

  test("list leaves out what nested .gitignore files ignore", async () => {
    const { id } = await sample();
    const files = {
      ".gitignore": "dist/\n*.log\n",
      "src/.gitignore": "/secret.txt\n",
      "src/secret.txt": "s",
      "src/a.ts": "a",
      "dist/x.js": "x",
      "deep/secret.txt": "d",
      "b.log": "b",
    };
    await client().value(ChangeValue, id, "change", {
      files: Object.entries(files).map(([path, content]) => ({ path, content, base: null })),
    });
    const { entries } = await client().value(ListValue, id, "list", { depth: 3 });
    const paths = entries.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["src", "src/a.ts", "deep/secret.txt"]));
    for (const ignored of ["dist", "dist/x.js", "src/secret.txt", "b.log", ".git"])
      expect(paths).not.toContain(ignored);
    expect(paths).toEqual([...paths].sort());
    const { matches } = await client().value(SearchValue, id, "search", {
      pattern: "[sabdx]",
      regex: true,
      glob: "{src,dist,deep}/{.gitignore,secret.txt,a.ts,x.js}",
    });
    expect(matches.map(({ path }) => path)).toEqual(["deep/secret.txt", "src/.gitignore", "src/a.ts"]);
  });

  test("list follows a folder that is a link within the workspace, and leaves out what git ignores there", async () => {
    const { id } = await sample();
    const command =
      "mkdir -p real/in; touch real/in/a real/in/b.log; echo '*.log' > .gitignore; ln -s real link; ln -s . self";
    await client().value(ExecValue, id, "exec", { command });
    const listed = async (path: string) =>
      (await client().value(ListValue, id, "list", { path })).entries.map((entry) => entry.path);
    expect(await listed("link")).toEqual(["link/in", "link/in/a"]);
    expect(await listed("self/link/in")).toEqual(["self/link/in/a"]);
    expect(await listed("self")).toContain("self/real/in");
    expect(await listed("self")).not.toContain("self/real/in/b.log");
  });

  test("list finds tracked files, however much is ignored beside, above and below them", async () => {
    const { id } = await sample();
    const rules = "node_modules/\nbuild/*\n!build/kept/\n*.tmp\n";
    const paths = ["a/b/c/d/e.ts", "build/kept/k.ts", "build/gone/g.ts", "a/b/x.tmp", "node_modules/p/i.js"];
    const files = [{ path: ".gitignore", content: rules }, ...paths.map((path) => ({ path, content: "x" }))];
    await client().value(ChangeValue, id, "change", {
      files: files.map((file) => ({ ...file, base: null })),
    });
    // The folder has more entries than the walk reads ahead.
    const many = "mkdir -p node_modules/q a/b/m && cd node_modules/q && seq 2100 | xargs touch";
    await client().value(ExecValue, id, "exec", { command: many });
    for (const glob of ["**/*.{ts,js,tmp}", "**/*.ts"]) {
      const { entries } = await client().value(ListValue, id, "list", { glob });
      const found = entries.map(({ path }) => path);
      expect(found).toEqual(expect.arrayContaining(["a/b/c/d/e.ts", "build/kept/k.ts"]));
      for (const ignored of ["build/gone/g.ts", "a/b/x.tmp", "node_modules/p/i.js"])
        expect(found).not.toContain(ignored);
    }
  });

  test("list and search say when a limit cut them short", async () => {
    const { id } = await sample();
    const files = Array.from({ length: 12 }, (_, index) => ({
      path: `many/f${index}.txt`,
      content: "needle\nneedle\n",
      base: null,
    }));
    await client().value(ChangeValue, id, "change", { files });
    expect(await client().value(ListValue, id, "list", { path: "many", limit: 5 })).toMatchObject({
      truncated: true,
      entries: { length: 5 },
    });
    expect(await client().value(ListValue, id, "list", { path: "many" })).toMatchObject({
      truncated: false,
      entries: { length: 12 },
    });
    const found = await client().value(SearchValue, id, "search", {
      pattern: "needle",
      glob: "many/**",
      limit: 5,
    });
    expect(found.truncated).toBe(true);
    expect(found.matches.flatMap(({ rows }) => rows.split("\n"))).toHaveLength(5);
  });

  test("search shows matching lines with context as rows of that version", async () => {
    const { id } = await sample();
    await client().value(ChangeValue, id, "change", {
      files: [{ path: "x.txt", content: "a\nb\nc.d\ne\nf\ncxd\n", base: null }],
    });
    const literal = await client().value(SearchValue, id, "search", {
      pattern: "c.d",
      glob: "x.txt",
      context: 1,
    });
    expect(literal.matches).toMatchObject([
      {
        path: "x.txt",
        version: "v1",
        rows: expect.stringMatching(/^2[a-z]{3}\|b\n3[a-z]{3}\|c\.d\n4[a-z]{3}\|e$/),
      },
    ]);
    const regex = await client().value(SearchValue, id, "search", {
      pattern: "c.d",
      regex: true,
      glob: "x.txt",
    });
    expect(regex.matches[0]?.rows).toMatch(/^3[a-z]{3}\|c\.d\n6[a-z]{3}\|cxd$/);
    expect((await client().failure(id, "search", { pattern: "(", regex: true })).code).toBe(
      "invalid_request",
    );
  });
}
