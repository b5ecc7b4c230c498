import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { edgeEnv, sandboxEnv } from "../../../scripts/launch/child-env.ts";
import { readSettings } from "../../../scripts/launch/settings.ts";
import { SettingsError } from "../../../scripts/launch/settings-error.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "handrail-settings-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("the settings of npm start", () => {
  test("by default: loopback, port 8787, Node, the sample project, a token of its own", () => {
    const settings = readSettings({}, root);
    expect(settings).toMatchObject({
      runtime: "node",
      port: 8787,
      host: "127.0.0.1",
      workspace: undefined,
      sandbox: undefined,
    });
    expect(settings.stateDir).toBe(join(root, ".handrail/state"));
    expect(settings.token).toMatch(/^[A-Za-z0-9_-]{32,}$/);
  });

  test("an empty value counts as unset", () => {
    const empty = {
      PORT: "",
      HANDRAIL_WORKSPACE: "",
      HANDRAIL_TOKEN: "",
      HANDRAIL_RUNTIME: "",
      HANDRAIL_HOST: "",
    };
    expect(readSettings(empty, root)).toEqual(readSettings({}, root));
  });

  test("the token is created once, stored for its owner alone, and used again", () => {
    const { token, stateDir } = readSettings({}, root);
    expect(readSettings({}, root).token).toBe(token);
    expect(readFileSync(join(stateDir, "token"), "utf8").trim()).toBe(token);
    expect(statSync(join(stateDir, "token")).mode & 0o777).toBe(0o600);
  });

  test("a stored token that is too short is replaced", () => {
    const { stateDir } = readSettings({}, root);
    writeFileSync(join(stateDir, "token"), "short", { mode: 0o644 });
    expect(readSettings({}, root).token.length).toBeGreaterThanOrEqual(32);
    expect(statSync(join(stateDir, "token")).mode & 0o777).toBe(0o600);
  });

  test.each([
    [{ HANDRAIL_TOKEN: "x".repeat(31) }, "HANDRAIL_TOKEN"],
    [{ HANDRAIL_WORKSPACE: "/no/such/folder" }, "HANDRAIL_WORKSPACE"],
    [{ HANDRAIL_RUNTIME: "bun" }, "HANDRAIL_RUNTIME"],
    [{ PORT: "eighty" }, "PORT"],
    [{ PORT: "70000" }, "PORT"],
    [{ PORT: "-1" }, "PORT"],
    [{ HANDRAIL_PUBLIC_URL: "example" }, "HANDRAIL_PUBLIC_URL"],
    [{ SANDBOX_URL: "http://127.0.0.1:1" }, "SANDBOX_TOKEN"],
  ])("%j is refused in one line that names it", (env, name) => {
    expect(() => readSettings(env, root)).toThrow(SettingsError);
    expect(() => readSettings(env, root)).toThrow(new RegExp(`^.*${name}.*$`));
  });

  test("a state folder of a newer format is refused with a message, and left unchanged", () => {
    const { stateDir, token } = readSettings({}, root);
    expect(readFileSync(join(stateDir, "format"), "utf8")).toBe("1\n");
    expect(readSettings({}, root).token).toBe(token);
    writeFileSync(join(stateDir, "format"), "2\n");
    rmSync(join(stateDir, "token"));
    expect(() => readSettings({}, root)).toThrow(
      /^The state folder .* was written by a newer Handrail \(format 2; this one reads up to 1\); start that version, .*$/,
    );
    expect(readdirSync(stateDir)).toEqual(["format"]);
  });

  test("a state folder inside the workspace is refused", () => {
    mkdirSync(join(root, "repo"));
    const env = { HANDRAIL_WORKSPACE: join(root, "repo"), HANDRAIL_STATE: join(root, "repo/.state") };
    expect(() => readSettings(env, root)).toThrow(/inside the workspace/);
    expect(readSettings({ ...env, HANDRAIL_STATE: join(root, "repo-state") }, root).workspaceName).toBe(
      "repo",
    );
  });
});

describe("what the servers get of a person's environment", () => {
  const env = {
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    SSH_AUTH_SOCK: "/run/agent",
    GNUPGHOME: "/home/a/keys",
    OPENAI_API_KEY: "secret-1",
    AWS_SECRET_ACCESS_KEY: "secret-2",
    HANDRAIL_TOKEN: "secret-3",
    MISTRAL_KEY: "secret-4",
    HANDRAIL_PROVIDERS: '[{"id":"m","keyVariable":"MISTRAL_KEY"}]',
  };

  test("the sandbox gets no key and no token but its own, and knows where the agents are", () => {
    expect(sandboxEnv(env, { SANDBOX_TOKEN: "own" })).toEqual({
      PATH: "/bin",
      HOME: "/home/a",
      LC_ALL: "C",
      SSH_AUTH_SOCK: "/run/agent",
      GNUPGHOME: "/home/a/keys",
      SANDBOX_TOKEN: "own",
    });
  });

  test("the edge gets the keys of its providers and nobody else's", () => {
    const given = edgeEnv(env, {});
    expect(given).toMatchObject({ OPENAI_API_KEY: "secret-1", MISTRAL_KEY: "secret-4" });
    expect(JSON.stringify(given)).not.toContain("secret-2");
  });
});
