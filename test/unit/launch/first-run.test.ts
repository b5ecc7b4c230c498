import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askFirst as ask, keepAnswers, type Terminal } from "../../../scripts/launch/first-run.ts";
import { chooseModel, type ModelChoice } from "../../../scripts/launch/model.ts";

let home = "";
let repo = "";
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "handrail-first-")));
  repo = join(home, "repo");
  mkdirSync(repo);
  writeFileSync(join(repo, "a.txt"), "a");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A terminal at which a person types these lines, one for each question. */
class Typist implements Terminal {
  readonly lines: string[];
  said = "";
  secrets = 0;

  constructor(...lines: string[]) {
    this.lines = lines;
  }

  say(text: string): void {
    this.said += `${text}\n`;
  }

  async ask(question: string, secret = false): Promise<string> {
    this.said += question;
    if (secret) this.secrets += 1;
    const line = this.lines.shift();
    if (line === undefined) throw new Error(`nobody answers ${question}`);
    return line;
  }
}

const noModel: ModelChoice = { kind: "demo", variables: {} };
const askFirst = (
  terminal: Terminal,
  set: Readonly<Record<string, string>>,
  cwd: string,
  model: ModelChoice = noModel,
) => ask(terminal, set, cwd, async () => model);

/** An environment in which no program is on the PATH. */
const env = () => ({ HOME: home, PATH: join(home, "none") });

test("Enter three times: this folder, the demo, this machine only", async () => {
  const typist = new Typist("", "", "");
  expect(await askFirst(typist, { ...env(), OPENAI_API_KEY: "" }, repo)).toEqual({
    HANDRAIL_WORKSPACE: repo,
    HANDRAIL_HOST: "127.0.0.1",
  });
  expect(typist.said).toContain("Three questions");
  expect(typist.lines).toEqual([]);
});

test("in the home folder and in an empty one, the sample project is offered first", async () => {
  for (const folder of [home, join(repo, "empty")]) {
    mkdirSync(folder, { recursive: true });
    const answers = await askFirst(new Typist("", "", ""), env(), folder);
    expect(answers).not.toHaveProperty("HANDRAIL_WORKSPACE");
  }
});

test("a model that runs on this machine is offered first, and found again at each start; choosing the demo is remembered", async () => {
  const typist = new Typist("");
  const set = { ...env(), HANDRAIL_WORKSPACE: repo, HANDRAIL_HOST: "127.0.0.1" };
  const model: ModelChoice = { kind: "local", variables: { HANDRAIL_MODEL: "qwen3,other" } };
  expect(await askFirst(typist, set, repo, model)).toEqual({});
  expect(typist.said).toContain("1  qwen3, which runs on this machine");
  const other = await askFirst(new Typist("2"), set, repo, model);
  expect(other).toEqual({ HANDRAIL_MODEL: "demo" });
  expect(await chooseModel({ ...set, ...other })).toEqual({ kind: "demo", variables: {} });
});

test("another folder, a provider's key that is not shown, and this network", async () => {
  const typist = new Typist("2", "nowhere", "~/repo", "3", "sk-ant-1", "2");
  expect(await askFirst(typist, env(), repo)).toEqual({
    HANDRAIL_WORKSPACE: repo,
    ANTHROPIC_API_KEY: "sk-ant-1",
    HANDRAIL_HOST: "0.0.0.0",
  });
  expect(typist.said).toContain(`There is no folder ${join(repo, "nowhere")}.`);
  expect(typist.secrets).toBe(1);
});

test("an installed tunnel is offered, and first where only the person's own devices get in", async () => {
  const bin = join(home, "bin");
  mkdirSync(bin);
  for (const name of ["tailscale", "cloudflared"]) writeFileSync(join(bin, name), "", { mode: 0o755 });
  const set = { ...env(), PATH: bin, HANDRAIL_WORKSPACE: repo, OPENAI_API_KEY: "k" };
  expect(await askFirst(new Typist(""), set, repo)).toEqual({ HANDRAIL_TUNNEL: "tailscale" });
  const typist = new Typist("9", "4");
  expect(await askFirst(typist, set, repo)).toEqual({ HANDRAIL_TUNNEL: "cloudflared" });
  expect(typist.said).toContain("One question");
  expect(typist.said).toContain("Write a number from 1 to 4.");
});

test("what is already set is not asked for", async () => {
  const set = {
    ...env(),
    HANDRAIL_WORKSPACE: repo,
    OPENAI_API_KEY: "k",
    HANDRAIL_PUBLIC_URL: "https://a.example",
  };
  expect(await askFirst(new Typist(), set, repo)).toBeUndefined();
});

test("answers are stored for this user alone; where they cannot be, that is reported and not a failure", () => {
  expect(keepAnswers(env(), { OPENAI_API_KEY: "k" })).toMatch(/^Kept in .*config\.json/);
  const path = join(home, ".config/handrail/config.json");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ OPENAI_API_KEY: "k" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(keepAnswers({ HOME: "/dev/null" }, {})).toMatch(/cannot be written, so this is asked again/);
});
