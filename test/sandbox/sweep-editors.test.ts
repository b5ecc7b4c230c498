// The decision about settings of editors that appeared or changed while a command ran.
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sweptFolder } from "./swept-folder.ts";

const { at, put, swept, outOf } = sweptFolder();

describe("editor settings", () => {
  test("that are new are removed, unless the person allowed writing them", async () => {
    const write = () => {
      put(".vscode/tasks.json");
      put("deep/.envrc");
    };
    expect(await outOf(write)).toEqual([".vscode", "deep/.envrc"]);
    rmSync(at(".vscode"), { recursive: true });
    rmSync(at("deep"), { recursive: true });
    expect(await outOf(write, { editors: true })).toEqual([]);
  });

  test("of Sapling within git's folder are removed too, and what else it has there stays", async () => {
    put(".git/sl/config", "mine\n");
    expect(
      await outOf(() => {
        put(".git/sl/config", "theirs\n");
        for (const name of ["config", "requires"]) put(`sub/.git/sl/${name}`);
        put("sub/.git/x/config");
      }),
    ).toEqual(["sub/.git/sl/config"]);
    expect(await outOf(() => rmSync(at(".git/sl/config")))).toEqual([]);
    expect(await outOf(() => put(".git/sl/config", "more\n"))).toEqual([".git/sl/config"]);
  });

  test("that existed stay, wherever they were moved, as do copies with the same text; those with more are removed", async () => {
    put("a/.vscode/tasks.json", "mine\n");
    expect(
      await outOf(() => {
        renameSync(at("a"), at("b"));
        put("same/.vscode/tasks.json", "mine\n");
        put("more/.vscode/tasks.json", "mine\n");
        put("more/.vscode/launch.json");
      }),
    ).toEqual(["more/.vscode"]);
  });

  test("that replaced the person's are reported as the person's", async () => {
    put(".envrc", "mine\n");
    const { out, yours } = await swept(() => {
      renameSync(at(".envrc"), at("was-there"));
      put(".envrc", "theirs\n");
    });
    expect([out, yours]).toEqual([[".envrc"], [".envrc"]]);
  });

  test("are not looked for in packages, but a new link to some is removed", async () => {
    put("node_modules/p/.vscode/tasks.json");
    expect(await outOf(() => put("node_modules/q/.vscode/tasks.json"))).toEqual([]);
    expect(await outOf(() => symlinkSync("node_modules/p", at("link")))).toEqual(["link"]);
  });

  test("with the size of the person's but not the content, under another name, as a link, or large, count as different", async () => {
    const target = "../../a/.vscode/tasks.json";
    put("a/.vscode/tasks.json", "x".repeat(target.length));
    put("a/mise.toml", "x");
    put("large/.vscode/tasks.json", "x".repeat(2 ** 20 + 1));
    for (let n = 0; n < 200; n += 1) put(`many/.idea/${n}`, "");
    expect(
      await outOf(() => {
        put("b/.vscode/tasks.json", "y".repeat(target.length));
        mkdirSync(at("c/.vscode"), { recursive: true });
        symlinkSync(target, at("c/.vscode/tasks.json"));
        put("d/.envrc", "x");
        put("larger/.vscode/tasks.json", "x".repeat(2 ** 20 + 1));
        for (let n = 0; n < 200; n += 1) put(`more/.idea/${n}`, "");
      }),
    ).toEqual(["b/.vscode", "c/.vscode", "d/.envrc", "larger/.vscode", "more/.idea"]);
  });
});
