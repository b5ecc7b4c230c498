// The first start in a terminal: three questions with good defaults. The answers are stored, and settings that are
// already known are not asked for.

import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { presets } from "../../functions/model/presets.ts";
import type { Env } from "./env.ts";
import { chooseModel, type ModelChoice } from "./model.ts";
import { configFile, homeOf } from "./places.ts";
import { foundTunnels } from "./tunnel.ts";

export interface Terminal {
  say(text: string): void;
  /** Returns the typed line, trimmed; `secret`: the input is not shown. */
  ask(question: string, secret?: boolean): Promise<string>;
}

interface MenuChoice {
  text: string;
  answer(): Promise<Record<string, string>> | Record<string, string>;
}

const modelNames = [
  "OPENAI_BASE_URL",
  "HANDRAIL_PROVIDERS",
  ...presets.map(({ keyVariable }) => keyVariable),
];
const phoneNames = ["HANDRAIL_TUNNEL", "HANDRAIL_HOST", "HANDRAIL_PUBLIC_URL", "HANDRAIL_ACCESS_TEAM"];

/**
 * The answers, as variables; undefined if no question was necessary. `env`: variables already set. `findModel`: looks
 * for a model that runs on this machine.
 */
export async function askFirst(
  terminal: Terminal,
  env: Env,
  cwd: string,
  findModel: (env: Env) => Promise<ModelChoice> = chooseModel,
): Promise<Record<string, string> | undefined> {
  const questions = [
    { names: ["HANDRAIL_WORKSPACE"], ask: () => askFolder(terminal, env, cwd) },
    { names: modelNames, ask: async () => askModel(terminal, await findModel(env)) },
    { names: phoneNames, ask: () => askPhone(terminal, env) },
  ].filter(({ names }) => !names.some((name) => env[name]));
  if (questions.length === 0) return undefined;
  const count = ["", "One question", "Two questions", "Three questions"][questions.length];
  terminal.say(`Handrail starts here for the first time. ${count}; Enter takes the first answer.\n`);
  const answers: Record<string, string> = {};
  for (const { ask } of questions) Object.assign(answers, await ask());
  return answers;
}

/** Stores the answers, readable by this user only. Returns a line that says so, or why it failed. */
export function keepAnswers(env: Env, answers: Readonly<Record<string, string>>): string {
  const path = configFile(env);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, `${JSON.stringify(answers, null, 2)}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
    return `Kept in ${path}; delete it to be asked again.\n`;
  } catch {
    return `${path} cannot be written, so this is asked again at the next start.\n`;
  }
}

async function askFolder(terminal: Terminal, env: Env, cwd: string): Promise<Record<string, string>> {
  const here: MenuChoice = { text: `this one, ${cwd}`, answer: () => ({ HANDRAIL_WORKSPACE: cwd }) };
  const sample: MenuChoice = { text: "none yet: a sample project, to look around", answer: () => ({}) };
  const other: MenuChoice = { text: "another one", answer: () => askPath(terminal, env, cwd) };
  const isProject = existsSync(join(cwd, ".git")) || (cwd !== homeOf(env) && readdirSync(cwd).length > 0);
  return choose(
    terminal,
    "Which folder shall the agent work in?",
    isProject ? [here, other, sample] : [sample, other],
  );
}

async function askPath(terminal: Terminal, env: Env, cwd: string): Promise<Record<string, string>> {
  for (;;) {
    const typed = await terminal.ask("Path: ");
    const path = resolve(cwd, typed.replace(/^~(?=$|\/)/, homeOf(env)));
    if (typed !== "" && existsSync(path) && statSync(path).isDirectory()) return { HANDRAIL_WORKSPACE: path };
    terminal.say(`There is no folder ${typed === "" ? "without a name" : path}.`);
  }
}

async function askModel(
  terminal: Terminal,
  { kind, variables }: ModelChoice,
): Promise<Record<string, string>> {
  const found: MenuChoice[] =
    kind === "local"
      ? [
          {
            text: `${variables.HANDRAIL_MODEL?.split(",")[0]}, which runs on this machine`,
            answer: () => ({}),
          },
        ]
      : [];
  const keyed = presets.map(({ label, keyVariable, models }): MenuChoice => {
    const text = `${label} (${models[0]?.[0]}), with your key`;
    return { text, answer: () => askKey(terminal, keyVariable) };
  });
  const address: MenuChoice = {
    text: "another address that speaks OpenAI's API",
    answer: () => askAddress(terminal),
  };
  // Without this explicit setting, a model found on this machine would be used instead.
  const demo: MenuChoice = {
    text: "none yet: a scripted demo, not a real model",
    answer: () => (kind === "local" ? { HANDRAIL_MODEL: "demo" } : ({} as Record<string, string>)),
  };
  return choose(terminal, "Which model?", [...found, demo, ...keyed, address]);
}

async function askKey(terminal: Terminal, variable: string): Promise<Record<string, string>> {
  const key = await terminal.ask(`${variable} (not shown): `, true);
  return key === "" ? {} : { [variable]: key };
}

async function askAddress(terminal: Terminal): Promise<Record<string, string>> {
  for (;;) {
    const url = await terminal.ask("Address, usually ending in /v1: ");
    if (/^https?:/.test(url) && URL.canParse(url)) {
      const key = await askKey(terminal, "OPENAI_API_KEY");
      return { OPENAI_BASE_URL: url, ...key, HANDRAIL_MODEL: await named(terminal) };
    }
    terminal.say("That is no URL; write it like http://192.168.1.20:11434/v1.");
  }
}

async function named(terminal: Terminal): Promise<string> {
  for (;;) {
    const model = await terminal.ask("Name of the model there: ");
    if (model !== "") return model;
  }
}

async function askPhone(terminal: Terminal, env: Env): Promise<Record<string, string>> {
  const tunnels = foundTunnels(env).map(({ name }): MenuChoice => {
    const who = name === "tailscale" ? "only your own devices get in" : "a new public address at each start";
    return { text: `https by ${name}: ${who}`, answer: () => ({ HANDRAIL_TUNNEL: name }) };
  });
  const privately = tunnels.slice(0, 1).filter(({ text }) => text.includes("tailscale"));
  return choose(terminal, "How does your phone get in?", [
    ...privately,
    { text: "not yet: only this machine, to look around", answer: () => ({ HANDRAIL_HOST: "127.0.0.1" }) },
    {
      text: "this network, over plain http: everybody on it can read along",
      answer: () => ({ HANDRAIL_HOST: "0.0.0.0" }),
    },
    ...tunnels.slice(privately.length),
  ]);
}

async function choose(
  terminal: Terminal,
  question: string,
  choices: readonly MenuChoice[],
): Promise<Record<string, string>> {
  terminal.say([question, ...choices.map(({ text }, index) => `  ${index + 1}  ${text}`)].join("\n"));
  for (;;) {
    const typed = await terminal.ask(`1-${choices.length} [1]: `);
    const chosen = choices[typed === "" ? 0 : Number(typed) - 1];
    if (chosen) {
      const answer = await chosen.answer();
      terminal.say("");
      return answer;
    }
    terminal.say(`Write a number from 1 to ${choices.length}.`);
  }
}
