// The npm package for a person who has nothing else: an empty folder, an empty home, an empty npm cache.
// @module-tag long
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { denoBinary } from "../../scripts/launch/runtimes.ts";
import { Config } from "../../shared/api.ts";
import { startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { type Packed, type PackedRun, packed, runPacked } from "../harness/packed.ts";
import { descendantsOf } from "../harness/processes.ts";

let it: Packed;
beforeAll(async () => {
  it = await packed();
});
afterAll(() => it?.remove());

const quiet = { HANDRAIL_DEMO_DELAY_MS: "0" };

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): PackedRun {
  const started = runPacked(it, [process.execPath, it.bin, ...args], { ...quiet, ...env });
  onTestFinished(started.stop);
  return started;
}

/** Runs npx on the packed file, in the file's folder, with the first Node on `path`. */
function npx(args: readonly string[], path = process.env.PATH ?? "", as: readonly string[] = []): PackedRun {
  const home = join(it.folder, `home-${args.length}-${Math.abs(hash(path + as.join()))}`);
  mkdirSync(home);
  if (as.length > 0) {
    // Any user may enter this folder, and the home belongs to the user of the test.
    for (const folder of [dirname(it.folder), it.folder]) chmodSync(folder, 0o755);
    chownSync(home, nobody, nobody);
  }
  const started = runPacked(
    { folder: it.folder, home },
    [...as, "npx", "--yes", `./${basename(it.file)}`, ...args],
    {
      ...quiet,
      PATH: path,
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
      npm_config_cache: join(home, "npm cache"),
    },
  );
  onTestFinished(started.stop);
  return started;
}

const nobody = 65534;
const hash = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7);

async function targetOf(started: PackedRun): Promise<{ url: string; token: string }> {
  const url = await started.ready;
  if (url === undefined) throw new Error(`it did not start:\n${started.logs()}`);
  return { url, token: /#pair=(\S+)/.exec(started.logs())?.[1] ?? "" };
}

async function begin(target: { url: string; token: string }, mode: "plan" | "auto"): Promise<Conversation> {
  const headers = { authorization: `Bearer ${target.token}`, "content-type": "application/json" };
  const response = await fetch(`${target.url}/api/sandboxes`, { method: "POST", headers, body: "{}" });
  expect(response.status).toBe(201);
  const { sandboxId } = (await response.json()) as { sandboxId: string };
  return new Conversation(target, sandboxId, mode);
}

/** Plays the scripted demo: from a goal to an approved plan that is carried out. */
async function playDemo(target: { url: string; token: string }): Promise<void> {
  const talk = await begin(target, "plan");
  await talk.say("Limit each API token to 100 requests a minute.");
  const { toolCallId, questions } = dataOf(talk.events, "questions");
  const answers = questions.map(({ id }) => ({ id, raw: "1" }));
  await talk.turn({ type: "answers", toolCallId, answers, run: false });
  await talk.approve();
  expect(talk.plan?.steps.map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
}

describe("the npm package", () => {
  test("it is small, installs no dependencies, and runs no script on installation", () => {
    const root = dirname(dirname(it.bin));
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, unknown>;
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(statSync(it.file).size).toBeLessThan(1_500_000);
    const kilobytes = Number(spawnSync("du", ["-sk", root], { encoding: "utf8" }).stdout.split("\t")[0]);
    expect(kilobytes).toBeLessThan(25_000);
    expect(manifest).toMatchObject({ name: "handrail", version, bin: { handrail: "dist/handrail.mjs" } });
    for (const name of ["dependencies", "optionalDependencies", "peerDependencies", "scripts"])
      expect(manifest).not.toHaveProperty(name);
    expect(it.file.endsWith(`handrail-${version}.tgz`)).toBe(true);
  });
});

describe("npx on the packed file, without a network", () => {
  test("it starts, pairs, plays the demo, and leaves no process when it is stopped", async () => {
    const started = npx(["--port", "0"]);
    await playDemo(await targetOf(started));
    const servers = descendantsOf(started.pid);
    expect(servers.length).toBeGreaterThanOrEqual(3);
    await started.stop();
  });

  test.runIf(process.getuid?.() === 0)("it runs as an unprivileged user", async () => {
    const as = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
    await playDemo(await targetOf(npx(["--port", "0"], process.env.PATH, as)));
  });

  test("on Deno, where that is installed, it starts, pairs and plays the demo", async () => {
    const started = run(["--port", "0", "--runtime", "deno"], {
      PATH: [dirname(denoBinary(process.env)), process.env.PATH ?? ""].join(delimiter),
    });
    await playDemo(await targetOf(started));
    expect(started.logs()).toMatch(/^edge {7}deno$/m);
  });

  describe.each(["20.19.0", "22", "24"])("on Node %s", (version) => {
    const nodes = join("/tmp", "handrail-nodes", version);
    const bin = join(nodes, "node_modules/node/bin");
    beforeAll(() => {
      if (existsSync(join(bin, "node"))) return;
      const args = ["install", "--prefix", nodes, "--no-audit", "--no-fund", "--no-save", `node@${version}`];
      spawnSync("npm", args, { stdio: "ignore" });
    });

    test("it starts, pairs and plays the demo", async (context) => {
      // No registry can be reached, so the other Node is not available.
      if (!existsSync(join(bin, "node"))) return context.skip("this Node could not be installed");
      const started = npx(["--port", "0"], [bin, process.env.PATH ?? ""].join(delimiter));
      await playDemo(await targetOf(started));
    });
  });
});

describe("a folder of the person's own", () => {
  test("it is served from a path with spaces, and its .env names the model", async () => {
    const model = await startModelServer([
      { calls: [{ name: "write_file", args: { path: "made by it.txt", content: "yes\n", base: null } }] },
      { text: "Done." },
    ]);
    onTestFinished(() => model.close());
    const repo = join(it.folder, "my repo");
    mkdirSync(repo);
    for (const args of [
      ["init", "-q"],
      ["config", "user.email", "a@b.c"],
      ["config", "user.name", "A"],
    ])
      spawnSync("git", args, { cwd: repo });
    writeFileSync(
      join(repo, ".env"),
      `OPENAI_BASE_URL=${model.url}\nHANDRAIL_MODEL=scripted\nHANDRAIL_HOST=0.0.0.0\n`,
    );
    const started = runPacked({ folder: repo, home: it.home }, [
      process.execPath,
      it.bin,
      ".",
      "--port",
      "0",
    ]);
    onTestFinished(started.stop);
    const target = await targetOf(started);
    expect(target.url).toContain("//127.0.0.1:");
    expect(started.logs()).toMatch(/^workspace .*a b\/my repo$/m);
    expect(started.logs()).toMatch(/^settings {3}HANDRAIL_MODEL, OPENAI_BASE_URL from \.env$/m);
    expect(started.logs()).toMatch(
      /^note .*HANDRAIL_HOST in .*\.env is not used, because the agent can write/m,
    );
    const talk = await begin(target, "auto");
    await talk.say("Write a file.");
    expect(readFileSync(join(repo, "made by it.txt"), "utf8")).toBe("yes\n");
  });

  test("config.json is read, and its model is the one that is served", async () => {
    const config = join(it.folder, "settings");
    mkdirSync(join(config, "handrail"), { recursive: true });
    const values = { "base-url": "http://127.0.0.1:9/v1", model: "from-config", port: 0 };
    writeFileSync(join(config, "handrail/config.json"), JSON.stringify(values));
    const { url, token } = await targetOf(run([], { XDG_CONFIG_HOME: config }));
    const response = await fetch(`${url}/api/config`, { headers: { authorization: `Bearer ${token}` } });
    const { providers } = Config.parse(await response.json());
    expect(providers[0]?.models.map(({ id }) => id)).toEqual(["from-config"]);
  });
});

describe("a refusal is one sentence that says what to do", () => {
  async function refusal(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const started = run(args, env);
    expect(await started.code).toBe(1);
    return started.logs().trimEnd();
  }

  test("a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    expect(await refusal(["--port", String(port)])).toBe(
      `Port ${port} is taken; choose another with --port ${port + 1} (PORT), or --port 0 for any free one.`,
    );
  });

  test("a port that another Handrail uses", async () => {
    const { url } = await targetOf(run(["--port", "0"]));
    const { port } = new URL(url);
    expect(await refusal(["--port", port])).toBe(
      `Handrail runs on port ${port} already; open ${url}, or start another one with --port 0 and a --state folder of its own.`,
    );
  });

  test("a runtime that is not installed names the command that installs it", async () => {
    for (const [runtime, name] of [
      ["workerd", "miniflare"],
      ["deno", "deno"],
    ] as const)
      expect(await refusal(["--port", "0", "--runtime", runtime], { PATH: "/usr/bin:/bin" })).toMatch(
        new RegExp(
          `^HANDRAIL_RUNTIME is ${runtime}, which is not installed; run: npm install --prefix ".*/runtimes" ${name}@[\\d.]+ \\(or .*\\)\\.$`,
        ),
      );
  });

  test.each([
    [["--prot", "1"], /^There is no option --prot; did you mean --port\?$/],
    [
      ["no-such-folder"],
      /^HANDRAIL_WORKSPACE is ".*no-such-folder", and there is no such folder; give .*\.$/,
    ],
    [["--engine", "dockr"], /^HANDRAIL_ENGINE is "dockr"; it takes here, docker, .*\.$/],
    [["--runtime", "bun"], /^HANDRAIL_RUNTIME is "bun"; it must be node, workerd or deno\.$/],
    [
      ["--state", "/dev/null/x"],
      /^HANDRAIL_STATE is "\/dev\/null\/x", and that folder cannot be made.*choose another\.$/,
    ],
    [
      ["--base-url", "http://127.0.0.1:9/v1", "--port", "0"],
      /^The edge on node did not start: HANDRAIL_MODEL is not set; name the model.*$/,
    ],
  ])("%j", async (args, sentence) => {
    expect(await refusal(args)).toMatch(sentence);
  });

  test("--version and --help start nothing", async () => {
    const version = run(["--version"]);
    expect(await version.code).toBe(0);
    expect(version.logs()).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = run(["--help"]);
    expect(await help.code).toBe(0);
    expect(help.logs()).toContain("the first one that names a setting wins");
  });
});

describe("a read-only home folder", () => {
  const jailed = (args: readonly string[]) => ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", ...args];
  const works = spawnSync("bwrap", ["--dev-bind", "/", "/", "true"]).status === 0;

  test.skipIf(!works)(
    "it starts all the same, says where sessions are stored, and refuses a state folder there",
    async () => {
      const home = join(it.folder, "sealed home");
      const tmp = join(it.folder, "tmp");
      mkdirSync(home);
      mkdirSync(tmp);
      const command = jailed(["--ro-bind", home, home, process.execPath, it.bin, "--port", "0"]);
      const env = { ...quiet, TMPDIR: tmp };
      const started = runPacked({ folder: it.folder, home }, command, env);
      onTestFinished(started.stop);
      await playDemo(await targetOf(started));
      expect(started.logs()).toMatch(
        /^state {6}.*: the home folder cannot be written, .*--state FOLDER keeps them$/m,
      );
      const refused = runPacked(
        { folder: it.folder, home },
        [...command, "--state", join(home, "state")],
        env,
      );
      expect(await refused.code).toBe(1);
      expect(refused.logs()).toMatch(
        /^HANDRAIL_STATE is ".*", and that folder cannot be made or written; choose another\.$/m,
      );
    },
  );
});
