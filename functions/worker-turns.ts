// On Cloudflare, runs turns that their client or their worker left. Each turn has a Durable Object, which is woken by
// its alarm. The turn itself is in the sandbox's journal; the object stores only when to check it. One more object of
// the class runs no turn and keeps what guests cost today.
import { DurableObject } from "cloudflare:workers";
import type { Deps } from "./deps.ts";
import type { EnginePlatform } from "./engines/engine.ts";
import * as limits from "./limits.ts";
import { pauseBefore, runLeft } from "./live/left-turns.ts";
import type { TurnId, TurnKeeper } from "./turn-keeper.ts";

/**
 * `looks`: consecutive checks in which some process ran it; `tries`: how often an error interrupted it; `ranMs`: how
 * long it ran here.
 */
interface Watched extends TurnId {
  looks: number;
  tries: number;
  ranMs: number;
}

type RunnerObject = Pick<TurnKeeper, "watch" | "take" | "forget"> & SpendingObject;
/** The text in one object of the class, which runs no turn. */
interface SpendingObject {
  spending(): Promise<string | undefined>;
  spend(text: string): Promise<void>;
}
/** https://developers.cloudflare.com/durable-objects/api/namespace/#getbyname */
export type TurnsBinding = { getByName(name: string): RunnerObject };

/**
 * The class of the binding TURNS. `deps`: those of a host that continues turns without a client; undefined = settings
 * are missing.
 */
export function turnRunner(deps: Deps | undefined) {
  return class TurnRunner extends DurableObject implements RunnerObject {
    async watch(turn: TurnId): Promise<void> {
      await this.#look({ ...turn, looks: 0, tries: 0, ranMs: 0 }, limits.firstLookMs);
    }

    async take(turn: TurnId, broken: boolean): Promise<void> {
      await this.#look({ ...turn, looks: 0, tries: 0, ranMs: 0 }, broken ? limits.brokenMs : 0);
    }

    spending(): Promise<string | undefined> {
      return this.ctx.storage.get<string>("spending");
    }

    async spend(text: string): Promise<void> {
      await this.ctx.storage.put("spending", text);
    }

    async forget(): Promise<void> {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    }

    /** Never throws, because the platform retries a failed alarm only six times. */
    override async alarm(): Promise<void> {
      const { storage } = this.ctx;
      const turn = await storage.get<Watched>("turn");
      if (!turn || !deps) return;
      // If this object dies meanwhile, the next one begins at this alarm.
      const stayAlive = () => void storage.setAlarm(Date.now() + limits.aliveMs);
      stayAlive();
      const timers = [setInterval(stayAlive, limits.aliveMs / 2)];
      const startedAt = deps.elapsed();
      const end = await runLeft(deps, turn, {
        ranMs: turn.ranMs,
        onLive: (live) => {
          timers.push(setTimeout(() => live.leave(), limits.alarmMs));
          timers.push(setTimeout(() => live.detach(), limits.alarmMs + limits.alarmGraceMs));
        },
      });
      for (const timer of timers) clearTimeout(timer);
      const ranMs = turn.ranMs + deps.elapsed() - startedAt;
      const { looks, tries } = turn;
      if (end === "ended" || (end === "unknown" && looks >= limits.unknownLooks)) return this.forget();
      if (end === "left") return this.#look({ ...turn, looks: 0, tries: 0, ranMs }, 0);
      if (end === "elsewhere" || end === "unknown") {
        const lookMs = Math.min(limits.firstLookMs * 2 ** looks, limits.lastLookMs);
        return this.#look({ ...turn, looks: looks + 1, tries: 0, ranMs }, lookMs);
      }
      const pauseMs = pauseBefore(tries + 1);
      return pauseMs === undefined
        ? this.forget()
        : this.#look({ ...turn, tries: tries + 1, ranMs }, pauseMs);
    }

    async #look(turn: Watched, afterMs: number): Promise<void> {
      await this.ctx.storage.put("turn", turn);
      await this.ctx.storage.setAlarm(Date.now() + afterMs);
    }
  };
}

/**
 * Passes turns to their Durable Objects. If one does not accept a turn, that is logged, and the turn waits for its
 * client.
 */
export function keeperOf(turns: TurnsBinding, log: Deps["log"]): TurnKeeper {
  const tell = async (turn: TurnId, what: (runner: RunnerObject) => Promise<void>) => {
    await what(turns.getByName(`${turn.sandboxId}/${turn.turnId}`)).catch((error: unknown) =>
      log({ event: "turn_runner", ...turn, problem: error instanceof Error ? error.name : "unknown" }),
    );
  };
  return {
    watch: (turn) => tell(turn, (runner) => runner.watch(turn)),
    take: (turn, broken) => tell(turn, (runner) => runner.take(turn, broken)),
    forget: (turn) => tell(turn, (runner) => runner.forget(turn)),
  };
}

/** What guests cost today, for all isolates. The object's name is not that of a turn, since those have a slash. */
export function sharedSpending(turns: TurnsBinding): Required<EnginePlatform>["spending"] {
  const object = () => turns.getByName("guest-spending");
  return { isShared: true, load: () => object().spending(), store: (text) => object().spend(text) };
}
