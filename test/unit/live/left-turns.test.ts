import { expect, test } from "vitest";
import { takeUpLeft } from "../../../functions/live/left-turns.ts";
import type { TurnId } from "../../../functions/turn-keeper.ts";

const left = { sandboxId: "s1", turnId: "t1" };

/** Lookups that return `lists` in order, then nothing; "down" = the sandbox server does not answer. */
async function takenUp(...lists: (TurnId[] | "down")[]): Promise<{ taken: TurnId[]; pauses: number[] }> {
  const taken: TurnId[] = [];
  const pauses: number[] = [];
  const deps = {
    keeper: {
      watch: async () => undefined,
      forget: async () => undefined,
      take: async (turn: TurnId) => void taken.push(turn),
    },
    sandbox: {
      async idleTurns() {
        const turns = lists.shift() ?? [];
        if (turns === "down") throw new Error("no connection");
        return { turns };
      },
    },
  };
  await takeUpLeft(deps, async (ms) => void pauses.push(ms));
  return { taken, pauses };
}

test("a turn that nobody runs is resumed at the start", async () => {
  expect((await takenUp([left])).taken).toEqual([left]);
});

test("one whose dead process still counts as alive at the start is resumed a moment later", async () => {
  const { taken, pauses } = await takenUp([], [left]);
  expect(taken).toEqual([left]);
  expect(pauses[0]).toBeLessThanOrEqual(2_000);
});

test("a sandbox server that is not up yet is asked again", async () => {
  expect((await takenUp("down", "down", [left])).taken).toEqual([left]);
});
