// What goes wrong in a case, and where: await points at the edges of a program are numbered, and each fault has a number at which it strikes.
// Whoever is dead has no effect any more: everything it waits for fails, everything it begins is refused.

import { setMaxListeners } from "node:events";

export type Who = "edge" | "phone";
export type FaultKind = "kill" | "cut" | "stall" | "twice" | "late" | "restart";
/** What a point's owner has to do itself. */
export type Odd = "stall" | "twice" | "late";

/**
 * `stall`: this stream says nothing more and stays open.
 * `kill`: of the one whose point it is, or of `who`. `cut`: its connection breaks here, it lives on.
 * `restart`: of the sandbox server, by kill -9.
 * `twice`: the request that begins here arrives two times. `late`: it is lost for its sender and arrives after a while.
 */
export interface Fault {
  /** Number of the point, from 1: of all, or of those with the label `of`. */
  at: number;
  of?: string;
  kind: FaultKind;
  who?: Who;
  /** Of a cut in what streams in: how much of the part at hand still arrives, from 0 to 1. None unless said. */
  share?: number;
  /** Such a cut looks like a proper end, as from a proxy whose upstream failed. */
  cleanly?: boolean;
}

/** What the dead and the cut get: as the end of a network. */
export class Lost extends TypeError {}

/** A stream broken in the middle of a part; elsewhere a cut like others. */
export class Torn extends Lost {
  readonly share: number;
  readonly cleanly: boolean;

  constructor(message: string, { share = 0, cleanly = false }: Fault) {
    super(message);
    this.share = share;
    this.cleanly = cleanly;
  }
}

/** Aborts with the first of `signals`, and holds on to them: AbortSignal.any lets a source be collected that only it knows. */
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

  /** A numbered await point. Throws Lost where the fault here ends this life or cuts its connection. */
  async point(label: string): Promise<Odd | undefined> {
    this.#check();
    const met = this.#faults.reach(this, label);
    // Whatever was about to follow in the same step must not: death comes between two steps.
    await Promise.resolve();
    this.#check();
    if (typeof met === "object") throw new Torn(`the connection was cut at ${label}`, met);
    return met;
  }

  /** Settles as `work` does, unless this life ends first. */
  guard<T>(work: Promise<T>): Promise<T> {
    this.#faults.wait(work);
    return new Promise((resolve, reject) => {
      const end = () => reject(this.signal.reason);
      // What was begun in the very step in which this life ended is heard all the same: nobody else listens.
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
  /** Points reached so far. */
  count = 0;
  /** Deaths that really came. */
  kills = 0;
  /** Connections that were cut or went silent. */
  cuts = 0;
  readonly trace: string[] = [];
  /** Kills the sandbox server and starts it again. */
  onRestart: () => void = () => undefined;
  /** Waits that passed through a life and have not ended, with the length of the trace at their beginning: for whoever looks at a hang. */
  readonly #waits = new Map<Promise<unknown>, { what: string | undefined; from: Error; after: number }>();
  readonly #planned: Map<string, Fault>;
  /** Points reached so far, by label. */
  readonly #counts = new Map<string, number>();
  readonly #alive = new Map<Who, Life>();
  #quiet = false;

  constructor(planned: readonly Fault[] = []) {
    this.#planned = new Map(planned.map((fault) => [`${fault.of ?? ""}#${fault.at}`, fault]));
  }

  born(life: Life): void {
    this.#alive.set(life.who, life);
  }

  /** From here on nothing is counted and nothing goes wrong: the case is being looked at. */
  hush(): void {
    this.#quiet = true;
  }

  /** `work` is waited for until it settles. `what`: a stream; without it the caller is told. */
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

  /** What the point's owner has to do, or the cut that its connection has met. */
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
    // For its sender a late request is one that was cut off.
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
