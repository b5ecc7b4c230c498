// The faults of a case and their places: await points at the edges of a program are numbered, and each fault
// occurs at a number. A dead program has no further effects: everything that it waits for fails, and
// everything that it begins is refused.

import { setMaxListeners } from "node:events";

export type Who = "edge" | "phone";
export type FaultKind = "kill" | "cut" | "stall" | "twice" | "late" | "restart";
/** The faults that the point's owner must carry out itself. */
export type Odd = "stall" | "twice" | "late";

/**
 * `stall`: this stream sends nothing more and stays open. `kill`: the program that owns the point dies, or
 * `who`. `cut`: its connection breaks here, and the program lives. `restart`: kill -9 ends the sandbox
 * server, which starts again. `twice`: the request that begins here arrives twice. `late`: its sender loses
 * the request, which arrives after a while.
 */
export interface Fault {
  /** Number of the point, from 1, among all points or among those with the label `of`. */
  at: number;
  of?: string;
  kind: FaultKind;
  who?: Who;
  /**
   * For a cut in an incoming stream: the share of the current part that still arrives, from 0 to 1. Default:
   * none.
   */
  share?: number;
  /** The cut looks like a regular end, as from a proxy whose upstream failed. */
  cleanly?: boolean;
}

/** The error for programs that are dead or whose connection was cut. It looks like a network failure. */
export class Lost extends TypeError {}

/** A stream that broke in the middle of a part. In other places it has the same effect as any cut. */
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
 * Aborts with the first of `signals` and keeps them alive, because AbortSignal.any lets a source be collected
 * if nothing else references it.
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

  /** A numbered await point. It throws Lost if a fault here ends this life or cuts its connection. */
  async point(label: string): Promise<Odd | undefined> {
    this.#check();
    const met = this.#faults.reach(this, label);
    // The rest of this step must not run: death comes between two steps.
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
      // Rejections have a handler even if this life ended in the very step in which `work` began, because no
      // other code listens then.
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
  /** The number of points passed until now. */
  count = 0;
  /** The number of deaths that really happened. */
  kills = 0;
  /** The number of connections that were cut or went silent. */
  cuts = 0;
  readonly trace: string[] = [];
  /** Kills the sandbox server and starts it again. */
  onRestart: () => void = () => undefined;
  /**
   * The unfinished waits of all lives, with the length of the trace when they began. They help to analyse a
   * hang.
   */
  readonly #waits = new Map<Promise<unknown>, { what: string | undefined; from: Error; after: number }>();
  readonly #planned: Map<string, Fault>;
  /** The number of points passed until now, by label. */
  readonly #counts = new Map<string, number>();
  readonly #alive = new Map<Who, Life>();
  #quiet = false;

  constructor(planned: readonly Fault[] = []) {
    this.#planned = new Map(planned.map((fault) => [`${fault.of ?? ""}#${fault.at}`, fault]));
  }

  born(life: Life): void {
    this.#alive.set(life.who, life);
  }

  /** From here on, points are not counted and no fault occurs: the case is being examined. */
  hush(): void {
    this.#quiet = true;
  }

  /**
   * Records that a life awaits `work` until it settles. `what`: the name of a stream; without it, the caller
   * is recorded.
   */
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

  /** Returns the fault that the point's owner must carry out, or the cut that its connection suffered. */
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
