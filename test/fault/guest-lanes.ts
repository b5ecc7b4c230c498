// Worlds for cases that run at the same time. Each world has its own engine, model and edge, which its cases
// use one after the other.
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import type { GuestWorld } from "./guest-world.ts";
import { RealEdge } from "./real-edge.ts";

export interface GuestLane {
  world: GuestWorld;
  model: ModelServer;
  edge: RealEdge;
}

export class GuestLanes {
  readonly #openWorld: () => Promise<GuestWorld>;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #count: number;
  readonly #all: GuestLane[] = [];
  readonly #free: GuestLane[] = [];
  readonly #waiting: ((lane: GuestLane) => void)[] = [];

  /** `settings`: the settings of each edge. */
  constructor(
    openWorld: () => Promise<GuestWorld>,
    settings: Readonly<Record<string, string>>,
    count: number,
  ) {
    this.#openWorld = openWorld;
    this.#settings = settings;
    this.#count = count;
  }

  async open(): Promise<void> {
    for (let made = 0; made < this.#count; made += 1) {
      const world = await this.#openWorld();
      const model = await startModelServer([{ text: "nothing scripted" }]);
      const edge = await RealEdge.open("", model.url, { ...world.env, ...this.#settings });
      this.#all.push({ world, model, edge });
    }
    this.#free.push(...this.#all);
  }

  /** Waits for a free lane. Guests that the case leaves behind are removed. */
  async use(act: (lane: GuestLane) => Promise<void>): Promise<void> {
    const lane = this.#free.pop() ?? (await new Promise<GuestLane>((resolve) => this.#waiting.push(resolve)));
    try {
      await act(lane);
    } finally {
      const engine = await lane.world.engine();
      for (const { guest } of await engine.list()) await engine.remove(guest);
      const next = this.#waiting.shift();
      if (next) next(lane);
      else this.#free.push(lane);
    }
  }

  async close(): Promise<void> {
    for (const { world, model, edge } of this.#all) {
      await edge.kill();
      await model.close();
      await world.close();
    }
  }
}
