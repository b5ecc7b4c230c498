import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSources } from "../../../scripts/launch/read-sources.ts";

let home = "";
let repo = "";
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "handrail-sources-")));
  repo = join(home, "repo");
  mkdirSync(join(home, ".config/handrail"), { recursive: true });
  mkdirSync(repo);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const config = (content: unknown) =>
  writeFileSync(
    join(home, ".config/handrail/config.json"),
    typeof content === "string" ? content : JSON.stringify(content),
  );
const envFile = (text: string) => writeFileSync(join(repo, ".env"), text);
const read = (given: Record<string, string> = {}, env: Record<string, string> = {}, own?: string) =>
  readSources(given, { HOME: home, ...env }, repo, { command: "npx handrail", own });

describe("where settings come from", () => {
  test("an option takes precedence over the environment, that over .env, and that over config.json", () => {
    config({ model: "config", PORT: 1, HANDRAIL_WAIT: "4", HANDRAIL_PRICE: "1,1" });
    envFile("HANDRAIL_MODEL=file\nHANDRAIL_WAIT=3\n");
    expect(read().env).toMatchObject({ HANDRAIL_MODEL: "file", PORT: "1", HANDRAIL_WAIT: "3" });
    expect(read({}, { HANDRAIL_MODEL: "env" }).env.HANDRAIL_MODEL).toBe("env");
    expect(read({ HANDRAIL_MODEL: "option" }, { HANDRAIL_MODEL: "env" }).env.HANDRAIL_MODEL).toBe("option");
    expect(read({}, { HANDRAIL_MODEL: "" }).env.HANDRAIL_MODEL).toBe("file");
    expect(read().from.get("HANDRAIL_PRICE")).toBe(join(home, ".config/handrail/config.json"));
    expect(read({}, { HANDRAIL_MODEL: "env" }).from.has("HANDRAIL_MODEL")).toBe(false);
  });

  test("config.json accepts options' names and true or false, and refuses an unknown name", () => {
    config({ port: 9000, open: true, tunnel: false, HANDRAIL_WORKSPACE: "/r" });
    expect(read().env).toMatchObject({ PORT: "9000", HANDRAIL_OPEN: "1", HANDRAIL_WORKSPACE: "/r" });
    expect(read().env).not.toHaveProperty("HANDRAIL_TUNNEL");
    config({ HANDRAIL_MODLE: "x" });
    expect(() => read()).toThrow(/no setting HANDRAIL_MODLE; did you mean HANDRAIL_MODEL\?$/);
    config("{ port: 1 }");
    expect(() => read()).toThrow(
      /config\.json is not an object of names and values .*; mend it, or delete it/,
    );
  });

  test("a provider of HANDRAIL_PROVIDERS may have its key in config.json", () => {
    config({ HANDRAIL_PROVIDERS: '[{"keyVariable":"MY_KEY"}]', MY_KEY: "secret" });
    expect(read().env.MY_KEY).toBe("secret");
  });

  test("or in .env, where a more trusted place names the key's variable", () => {
    envFile('MY_KEY=secret\nHANDRAIL_PROVIDERS=[{"keyVariable":"OTHER_KEY"}]\nOTHER_KEY=x\n');
    expect(read().env).not.toHaveProperty("MY_KEY");
    config({ HANDRAIL_PROVIDERS: '[{"keyVariable":"MY_KEY"},{"keyVariable":"NODE_OPTIONS"}]' });
    expect(read({ HANDRAIL_WORKSPACE: repo }).env.MY_KEY).toBe("secret");
    expect(read().env).not.toHaveProperty("OTHER_KEY");
    expect(read({}, {}, repo).env).toMatchObject({ OTHER_KEY: "x" });
    envFile("NODE_OPTIONS=--require=/tmp/x\n");
    expect(read().env).not.toHaveProperty("NODE_OPTIONS");
  });

  test("an .env that the agent can write sets the model, and not who gets in", () => {
    envFile("OPENAI_API_KEY=k\nHANDRAIL_MODEL=m\nHANDRAIL_HOST=0.0.0.0\nHANDRAIL_TOKEN=t\nDATABASE_URL=x\n");
    const inside = read({ HANDRAIL_WORKSPACE: repo });
    expect(inside.env).toMatchObject({ OPENAI_API_KEY: "k", HANDRAIL_MODEL: "m" });
    for (const name of ["HANDRAIL_HOST", "HANDRAIL_TOKEN", "DATABASE_URL"])
      expect(inside.env).not.toHaveProperty(name);
    expect(inside.notes.join()).toMatch(/HANDRAIL_HOST in .*\.env is not used, because the agent can write/);
    // No person chose the folder, so it may be a stranger's repository.
    expect(read().env).not.toHaveProperty("HANDRAIL_HOST");
    expect(read({}, {}, repo).env.HANDRAIL_HOST).toBe("0.0.0.0");
    expect(read({ HANDRAIL_WORKSPACE: "/usr" }, {}, repo).env.HANDRAIL_HOST).toBe("0.0.0.0");
    // A stranger's repository does not count either, whichever folder is served.
    expect(read({ HANDRAIL_WORKSPACE: "/usr" }).env).not.toHaveProperty("HANDRAIL_HOST");
    config({ HANDRAIL_WORKSPACE: "/usr" });
    expect(read().env).not.toHaveProperty("HANDRAIL_HOST");
    config({});
    // A folder above the repository contains it too.
    expect(read({ HANDRAIL_WORKSPACE: home }, {}, repo).env).not.toHaveProperty("HANDRAIL_HOST");
  });

  test("an .env that names its own folder as the workspace sets nothing else that the agent could change", () => {
    envFile("HANDRAIL_WORKSPACE=.\nHANDRAIL_NO_BWRAP=1\n");
    const { env } = read({}, {}, repo);
    expect(env.HANDRAIL_WORKSPACE).toBe(repo);
    expect(env).not.toHaveProperty("HANDRAIL_NO_BWRAP");
  });

  test("the person's own key is never sent to an address from a repository's .env", () => {
    envFile("OPENAI_BASE_URL=https://elsewhere.example/v1\n");
    expect(read({}, { OPENAI_API_KEY: "mine" }).env).not.toHaveProperty("OPENAI_BASE_URL");
    config({ OPENAI_API_KEY: "mine" });
    expect(read().env).not.toHaveProperty("OPENAI_BASE_URL");
    config({ OPENAI_API_KEY: "mine", HANDRAIL_WORKSPACE: "/usr" });
    expect(read().env).not.toHaveProperty("OPENAI_BASE_URL");
    config({});
    expect(read().env.OPENAI_BASE_URL).toBe("https://elsewhere.example/v1");
  });

  test("a misspelt variable of ours in .env is named", () => {
    envFile("HANDRAIL_MODLE=m\nMY_OTHER=1\n");
    expect(read().notes).toEqual([
      `${join(repo, ".env")}: there is no variable HANDRAIL_MODLE; did you mean HANDRAIL_MODEL?`,
    ]);
  });
});
