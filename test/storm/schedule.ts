// The disturbances of a scene and their moments, derived from its seed alone.
import type { EdgeName } from "./town.ts";

export const kinds = [
  "deaths",
  "freezes",
  "zombies",
  "clients",
  "stops",
  "full disk",
  "read-only disk",
  "torn journals",
  "cut journals",
  "copies",
  "clocks",
  "second servers",
  "workspaces",
] as const;
export type Kind = (typeof kinds)[number];

export type Victim = "sandbox" | "edge a" | "edge b" | "both" | "all";

export type Act =
  | { do: "kill"; victim: Victim; downMs: number }
  | { do: "freeze"; victim: Victim; ms: number }
  /**
   * The edge is frozen, its clients continue at the other one, and it wakes after the other one took over.
   */
  | { do: "zombie"; edge: EdgeName; impatient: boolean }
  | { do: "reload"; impatient: boolean }
  | { do: "double post" }
  | { do: "late post" }
  | { do: "another input" }
  | { do: "stop" }
  | { do: "fill disk"; ms: number }
  | { do: "read-only"; ms: number }
  /**
   * Happens while the sandbox server is down. `share`: how much of the last line, or of the file, is lost.
   */
  | { do: "damage journals"; how: "torn" | "NUL" | "NUL after" | "cut" | "hole"; share: number }
  | { do: "copy state" }
  /**
   * `away`: all clients leave before the state is restored, and return only when turns continue without one.
   */
  | { do: "restore state"; away: boolean }
  | { do: "set clocks"; days: number }
  | { do: "second server"; how: "namespace" | "deleted files" }
  | { do: "delete workspace" }
  | { do: "remove .git" };

export interface Disturbance {
  /** After this many events of the scene's streams and requests to its model. */
  at: number;
  act: Act;
}

export interface Schedule {
  seed: number;
  kind: Kind;
  /** The number of sessions in the scene, and of clients of each. */
  sessions: number;
  clients: number;
  disturbances: readonly Disturbance[];
}

export function makeSchedule(seed: number, kind: Kind, sessions: number, next: () => number): Schedule {
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const of = <T>(...among: readonly [T, ...T[]]): T => among[Math.floor(next() * among.length)] ?? among[0];
  const victim = () => of<Victim>("sandbox", "edge a", "edge b", "both", "all");
  const kill = (): Act => ({ do: "kill", victim: victim(), downMs: of(0, 0, 100, 400) });
  const killSandbox: Act = { do: "kill", victim: "sandbox", downMs: 0 };
  const reload = (): Act => ({ do: "reload", impatient: next() < 0.5 });
  const acts: Record<Kind, () => Act[]> = {
    deaths: () => Array.from({ length: between(1, 3) }, kill),
    freezes: () => [
      { do: "freeze", victim: victim(), ms: between(50, 2_000) },
      ...(next() < 0.5 ? [of(kill(), reload())] : []),
      { do: "freeze", victim: victim(), ms: between(50, 1_000) },
    ],
    zombies: () => [
      { do: "zombie", edge: of("a", "b"), impatient: next() < 0.8 },
      ...(next() < 0.3 ? [kill()] : []),
    ],
    clients: () =>
      Array.from({ length: between(3, 6) }, () =>
        of<Act>(reload(), { do: "double post" }, { do: "late post" }, { do: "another input" }, kill()),
      ),
    stops: () => [...(next() < 0.5 ? [kill()] : []), { do: "stop" }, ...(next() < 0.7 ? [kill()] : [])],
    "full disk": () => [{ do: "fill disk", ms: between(200, 1_500) }, ...(next() < 0.4 ? [kill()] : [])],
    "read-only disk": () => [{ do: "read-only", ms: between(200, 1_500) }, ...(next() < 0.4 ? [kill()] : [])],
    "torn journals": () => [
      { do: "damage journals", how: of("torn", "NUL", "NUL after"), share: next() },
      ...(next() < 0.3 ? [kill()] : []),
    ],
    "cut journals": () => [{ do: "damage journals", how: of("cut", "cut", "hole"), share: next() }],
    copies: () => [{ do: "copy state" }, { do: "restore state", away: next() < 0.5 }],
    clocks: () => [
      { do: "set clocks", days: of(10, -10) },
      ...(next() < 0.6 ? [of(kill(), killSandbox, reload())] : []),
      { do: "set clocks", days: of(10, 0, -10) },
    ],
    "second servers": () => [
      { do: "second server", how: of("namespace", "deleted files") },
      // While the first server is down the folder is free, and the second one would rightly get it.
      { do: "kill", victim: of<Victim>("edge a", "edge b"), downMs: 0 },
    ],
    workspaces: () => [
      of<Act>({ do: "delete workspace" }, { do: "remove .git" }),
      ...(next() < 0.5 ? [kill()] : []),
    ],
  };
  let at = 0;
  const disturbances = acts[kind]().map((act) => {
    at += between(2, sessions * 12);
    return { at, act };
  });
  const clients = kind === "clients" ? between(2, 3) : next() < 0.2 && kind === "deaths" ? 2 : 1;
  return { seed, kind, sessions, clients, disturbances };
}

export function inWords({ at, act }: Disturbance): string {
  const { do: what, ...how } = act;
  return `after ${at}: ${what} ${JSON.stringify(how)}`;
}
