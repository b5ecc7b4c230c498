// The scripted model's replies to one session: a few rounds of calls whose effects can be counted from
// outside.
import { setTimeout as pass } from "node:timers/promises";
import type { ModelReply, ScriptedCall } from "../fakes/model-reply.ts";
import type { RequestBody } from "../fakes/model-server.ts";
import { historyProblem } from "../fault/wire-history.ts";

/** Something that may happen only once: a line in the session's ledger, or in a file that is edited. */
export interface Effect {
  id: string;
  kind: "command" | "edit" | "file";
}

interface Round {
  text: string;
  /** How long the model thinks before it answers. */
  thinksMs: number;
  effects: Effect[];
  looks: boolean;
  /** How long each command continues after its effect. */
  lastsMs: number;
}

export interface Script {
  rounds: Round[];
  effects: Effect[];
}

export const lastWords = "All of it is done.";
export const hereStill = "Still here.";

const pick = <T>(next: () => number, among: readonly T[]): T => {
  const found = among[Math.floor(next() * among.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
};

/** `session`: letters and digits, unique in its scene. */
export function makeScript(session: string, next: () => number): Script {
  const count = 2 + Math.floor(next() * 3);
  const rounds = Array.from({ length: count }, (_, round): Round => {
    const effects = Array.from({ length: next() < 0.4 ? 2 : 1 }, (_, n): Effect => {
      const kind = pick(next, ["command", "command", "edit", "file"] as const);
      return { id: `${session}.${round}.${n}`, kind };
    });
    return {
      text: next() < 0.5 ? `Round ${round} of ${session}.` : "",
      thinksMs: pick(next, [0, 0, 30, 150]),
      effects,
      looks: next() < 0.4,
      lastsMs: pick(next, [0, 0, 40, 250]),
    };
  });
  return { rounds, effects: rounds.flatMap(({ effects }) => effects) };
}

interface Known {
  script: Script;
  /** The file to which commands write, by its path in the shell. */
  ledger: string;
  /** Called for every request, with its problem if there is one. */
  onRequest(problem: string | undefined): void;
}

/** Answers for every session. Each request names its session in the person's message. */
export class Mind {
  readonly #scripts = new Map<string, Known>();
  #calls = 0;

  learn(session: string, known: Known): void {
    this.#scripts.set(session, known);
  }

  forget(session: string): void {
    this.#scripts.delete(session);
  }

  async answer({ messages }: RequestBody): Promise<ModelReply> {
    const problem = historyProblem(messages);
    const words = messages.map(({ role, content }) => (role === "user" ? JSON.stringify(content) : ""));
    const begun = words.findLastIndex((text) => /storm session \w+/.test(text));
    const [, session = "", asks] = /storm session (\w+): (work|there)/.exec(words[begun] ?? "") ?? [];
    const known = this.#scripts.get(session);
    if (!known) return { text: "No such session." };
    known.onRequest(problem && `the model was sent a history that is invalid: ${problem}`);
    if (asks === "there") return { text: hereStill };
    const answered = messages.slice(begun).filter(({ role }) => role === "assistant").length;
    const round = known.script.rounds[answered];
    if (!round) return { text: lastWords };
    const said = { text: round.text, calls: this.#callsOf(round, known.ledger) };
    return round.thinksMs > 0 ? { ...said, hold: pass(round.thinksMs) } : said;
  }

  /** Ids are new each time, like a real model's. Only the effect identifies a repeated call. */
  #callsOf({ effects, looks, lastsMs }: Round, ledger: string): ScriptedCall[] {
    const call = (name: string, args: Record<string, unknown>): ScriptedCall => {
      this.#calls += 1;
      return { id: `call_${this.#calls}`, name, args };
    };
    return [
      ...(looks || effects.some(({ kind }) => kind === "edit")
        ? [call("read_file", { path: "notes.txt" })]
        : []),
      ...effects.map(({ id, kind }) => {
        if (kind === "command")
          return call("run_command", {
            command: `echo ${id} >> ${ledger}${lastsMs > 0 ? `; sleep ${lastsMs / 1_000}` : ""}; echo told`,
          });
        // An append finds its place even if others were appended since the file was first read.
        if (kind === "edit")
          return call("edit_file", { path: "notes.txt", base: "v1", edits: [{ op: "append", lines: [id] }] });
        return call("write_file", { path: `${id}.txt`, content: `${id}\n`, base: null });
      }),
    ];
  }
}

/** The effect that a call of the script would have. */
export function effectOf(name: string, json: string): string | undefined {
  if (!["run_command", "edit_file", "write_file"].includes(name)) return undefined;
  return /\b(s\w+\.\d+\.\d+)\b/.exec(json)?.[1];
}
