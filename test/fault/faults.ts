// What goes wrong in a case, and where: await points at the edges of a program are numbered, and each fault strikes at
// a number. A dead program has no effect any more: everything it waits for fails, everything it begins is refused.

import { setMaxListeners } from "node:events";

export type Who = "edge" | "phone";
export type FaultKind = "kill" | "cut" | "stall" | "twice" | "late" | "restart";
/** What the point's owner must do itself. */
export type Odd = "stall" | "twice" | "late";

/**
 * `stall`: this stream sends nothing more and stays open. `kill`: the program whose point it is, or `who`. `cut`: its
 * connection breaks here, the program lives. `restart`: the sandbox server, by kill -9. `twice`: the request that
 * begins here arrives twice. `late`: its sender loses it, and it arrives after a while.
 */
export interface Fault {
  /** Number of the point, from 1: of all, or of those with the label `of`. */
  at: number;
  of?: string;
  kind: FaultKind;
  who?: Who;
  /** For a cut in an incoming stream: how much of the current part still arrives, from 0 to 1. Default: none. */
  share?: number;
  /** Such a cut looks like a regular end, as from a proxy whose upstream failed. */
  cleanly?: boolean;
}

/** What the dead and the cut get: like a network failure. */
export class Lost extends TypeError {}

/** A stream broken in the middle of a part; elsewhere the same as any cut. */
export class Torn extends Lost {
  readonly share: number;
  readonly cleanly: boolean;

  constructor(message: string, { share = 0, cleanly = false }: Fault) {
    super(message);
    this.share = share;
    this.cleanly = cleanly;
  }
}

/**
 * Aborts with the first of `signals`, and keeps them alive: AbortSignal.any lets a source be collected that only it
 * references.
 */
export function firstOf(signals: readonly AbortSignal[]): AbortSignal {
  const either = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) either.abort(signal.reason);
    else signal.addEventListener("abort", () => either.abort(signal.reason), { once: true });
  }
  return either.signal;
}

/** One life of a program. */
export class Life {
  readonly #end = new AbortController();
  readonly who: Who;
  readonly #faults: Faults;

  constructor(who: Who, faults: Faults) {
    setMaxListeners(0, this.#end.signal);
    this.who = who;
    this.#faults = faults;
    faults.born(this);
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get dead(): boolean {
    return this.#end.signal.aborted;
  }

  die(): void {
    this.#end.abort(new Lost(`the ${this.who} was killed`));
  }

  /** A numbered await point. Throws Lost if the fault here ends this life or cuts its connection. */
  async point(label: string): Promise<Odd | undefined> {
    this.#check();
    const met = this.#faults.reach(this, label);
    // What would follow in the same step must not happen: death comes between two steps.
    await Promise.resolve();
    this.#check();
    if (typeof met === "object") throw new Torn(`the connection was cut at ${label}`, met);
    return met;
  }

  /** Settles like `work`, unless this life ends first. */
  guard<T>(work: Promise<T>): Promise<T> {
    this.#faults.wait(work);
    return new Promise((resolve, reject) => {
      const end = () => reject(this.signal.reason);
      // Rejections are handled even if this life ended in the very step in which `work` began: nobody else listens.
      if (this.dead) end();
      this.signal.addEventListener("abort", end, { once: true });
      work.then(resolve, reject).finally(() => this.signal.removeEventListener("abort", end));
    });
  }

  #check(): void {
    if (this.dead) throw this.signal.reason;
  }
}

export class Faults {
  /** Points passed so far. */
  count = 0;
  /** Deaths that really happened. */
  kills = 0;
  /** Connections that were cut or went silent. */
  cuts = 0;
  readonly trace: string[] = [];
  /** Kills the sandbox server and starts it again. */
  onRestart: () => void = () => undefined;
  /** Waits of a life that have not ended, with the length of the trace when they began: to analyse a hang. */
  readonly #waits = new Map<Promise<unknown>, { what: string | undefined; from: Error; after: number }>();
  readonly #planned: Map<string, Fault>;
  /** Points passed so far, by label. */
  readonly #counts = new Map<string, number>();
  readonly #alive = new Map<Who, Life>();
  #quiet = false;

  constructor(planned: readonly Fault[] = []) {
    this.#planned = new Map(planned.map((fault) => [`${fault.of ?? ""}#${fault.at}`, fault]));
  }

  born(life: Life): void {
    this.#alive.set(life.who, life);
  }

  /** From here on nothing is counted and nothing goes wrong: the case is being examined. */
  hush(): void {
    this.#quiet = true;
  }

  /** `work` is awaited until it settles. `what`: a stream; without it the caller is told. */
  wait(work: Promise<unknown>, what?: string): void {
    const { trace } = this;
    this.#waits.set(work, { what, from: new Error("from"), after: trace.length });
    const over = () => void this.#waits.delete(work);
    work.then(over, over);
  }

  waiting(): string {
    const told = [...this.#waits.values()].map(({ what, from, after }) => {
      const callers = from.stack
        ?.split("\n")
        .slice(3, 6)
        .map((line) => line.trim().split("/").at(-1));
      return `${what ?? callers?.join(" < ")}, since ${this.trace[after - 1]}`;
    });
    return told.join("\n") || "nothing that passes through a life";
  }

  /** What the point's owner must do, or the cut that its connection suffered. */
  reach(life: Life, label: string): Odd | Fault | undefined {
    if (this.#quiet) return undefined;
    this.count += 1;
    const nth = (this.#counts.get(label) ?? 0) + 1;
    this.#counts.set(label, nth);
    const fault = this.#planned.get(`#${this.count}`) ?? this.#planned.get(`${label}#${nth}`);
    this.trace.push(
      fault ? `${this.count} ${label} <== ${fault.kind} ${fault.who ?? ""}` : `${this.count} ${label}`,
    );
    if (!fault) return undefined;
    if (fault.kind === "twice") return fault.kind;
    if (fault.kind === "restart") {
      this.kills += 1;
      this.onRestart();
      return undefined;
    }
    // To its sender, a late request looks like one that was cut off.
    if (fault.kind === "cut" || fault.kind === "stall" || fault.kind === "late") {
      this.cuts += 1;
      return fault.kind === "cut" ? fault : fault.kind;
    }
    const victim = fault.who === undefined ? life : this.#alive.get(fault.who);
    if (!victim || victim.dead) return undefined;
    this.kills += 1;
    victim.die();
    return undefined;
  }
}
