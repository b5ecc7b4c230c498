// Limits how much disk the state folder may use, without workspaces, which have a quota of their own. It
// warns before the folder is full, frees files that are no longer needed, and refuses new work rather than
// leave something half written.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { HandrailError } from "../shared/errors.ts";
import type { StateFolder } from "../shared/state-folder.ts";
import * as limits from "./limits.ts";
import { inMebibytes } from "./workspace/disk-quota.ts";
import { diskBytesOf, freeOf } from "./workspace/disk-use.ts";

export interface StateBudgetOptions {
  /** Real path of the state folder. */
  state: string;
  /** 0 = no limit. */
  maxBytes: number;
  /** Frees space without deleting anything that may still be needed. */
  free(): Promise<void>;
}

interface MeasuredState {
  bytes: number;
  /** Free space of the file system at that time, and the time on a monotonic clock. */
  freeBytes: number;
  at: number;
  /**
   * true = more than a few lines were written since. Space freed outside the state folder may hide how much.
   */
  grown: boolean;
}

export class StateBudget {
  readonly #options: StateBudgetOptions;
  #measured: MeasuredState | undefined;
  #measuring: Promise<MeasuredState | undefined> | undefined;
  #freeing: Promise<void> | undefined;
  /**
   * The size after the last cleanup. Until something was deleted or much was written, another cleanup would
   * free nothing.
   */
  #freedTo = 0;

  constructor(options: StateBudgetOptions) {
    this.#options = options;
  }

  /**
   * The folder's size, its budget, and advice if it is nearly full. Undefined if the size cannot be measured.
   */
  async told(): Promise<StateFolder | undefined> {
    const { maxBytes: budgetBytes } = this.#options;
    const usedBytes = (await this.#measure())?.bytes;
    if (usedBytes === undefined) return undefined;
    if (budgetBytes === 0 || usedBytes < budgetBytes * limits.stateWarnShare)
      return { usedBytes, budgetBytes };
    const percent = Math.floor((usedBytes / budgetBytes) * 100);
    const warning = `The state folder takes ${inMebibytes(usedBytes)} of ${inMebibytes(budgetBytes)} MiB (${percent} %). ${remedy}`;
    return { usedBytes, budgetBytes, warning };
  }

  /**
   * Call it before new work that will be kept. Throws `too_large` if the budget is used up; nothing was
   * written then.
   */
  async check(): Promise<void> {
    const { maxBytes, state, free } = this.#options;
    if (maxBytes === 0) return;
    const known = this.#measured;
    if (known && performance.now() - known.at < limits.stateMeasureMs) {
      const atMost = known.bytes + Math.max(0, known.freeBytes - (await freeOf(state)));
      if (atMost < maxBytes * (known.grown ? limits.stateRoomyShare : 1)) return;
    }
    let bytes = (await this.#measure())?.bytes ?? 0;
    if (bytes < maxBytes) return;
    const since = bytes - this.#freedTo;
    if (since < 0 || since > limits.stateFreeBytes) {
      this.#freeing ??= free().finally(() => {
        this.#freeing = undefined;
      });
      await this.#freeing;
      bytes = (await this.#measure())?.bytes ?? 0;
      this.#freedTo = bytes;
      if (bytes < maxBytes) return;
    }
    throw new HandrailError(
      "too_large",
      `The sandbox server's state folder is full: ${inMebibytes(bytes)} of ${inMebibytes(maxBytes)} MiB. Nothing was begun. ${remedy}`,
      { details: { reason: "state_full", usedBytes: bytes, budgetBytes: maxBytes } },
    );
  }

  /** More than a few lines were written: near its limit, the budget is measured again. */
  grown(): void {
    if (this.#measured) this.#measured.grown = true;
  }

  /** Runs one measurement at a time, which all callers share. */
  #measure(): Promise<MeasuredState | undefined> {
    this.#measuring ??= this.#look().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #look(): Promise<MeasuredState | undefined> {
    const { state } = this.#options;
    const freeBytes = await freeOf(state);
    const sizes = await diskBytesOf(await withoutWorkspaces(state));
    if (sizes === undefined) return undefined;
    this.#measured = {
      bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
      freeBytes,
      at: performance.now(),
      grown: false,
    };
    return this.#measured;
  }
}

const remedy = "Delete sessions that are no longer needed, or raise --state-budget (HANDRAIL_STATE_BUDGET).";

/** Everything in the state folder except the sandboxes' own copies of repositories. */
async function withoutWorkspaces(state: string): Promise<string[]> {
  const sandboxes = join(state, "sandboxes");
  const top = (await readdir(state)).map((name) => join(state, name)).filter((path) => path !== sandboxes);
  const found = await Promise.all(
    (await readdir(sandboxes)).map(async (id) => {
      const names = await readdir(join(sandboxes, id)).catch(() => []);
      return names.filter((name) => name !== "workspace").map((name) => join(sandboxes, id, name));
    }),
  );
  return [...top, ...found.flat()];
}
