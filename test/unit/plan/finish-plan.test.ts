// The end of a plan runs no command that needs the person's approval, however the plan came to its end.
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { KeyedCall, PendingCall } from "../../../functions/calls/prepared.ts";
import { eventMessage, type ToolTurn } from "../../../functions/calls/tool-turn.ts";
import { nothingCarried } from "../../../functions/context/carried.ts";
import { finishPlan } from "../../../functions/plan/finish-plan.ts";
import type { DurableEvent } from "../../../shared/event.ts";
import type { Grant } from "../../../shared/grant.ts";
import type { Mode } from "../../../shared/mode.ts";
import { TurnRequest } from "../../../shared/turn.ts";
import { makePlan } from "./plan-fixture.ts";

const push = "git push origin main";
const pending = (permitted: boolean): PendingCall => ({
  call: { id: "c", name: "update_plan", arguments: "{}" },
  key: "t/0/0",
  at: 1,
  permitted,
});

/** Ends a plan with the check `push` and a harmless one. Returns the commands that ran, and the messages. */
async function finished(mode: Mode, permitted = false, grants: Grant[] = []) {
  const ran: KeyedCall[] = [];
  const said: string[] = [];
  const request = z.parse(TurnRequest, {
    ...{ protocol: 1, turnId: "t", sandboxId: "s", mode, messages: [], plan: null },
    input: { type: "continue" },
  });
  const turn: ToolTurn = {
    env: {
      ...{
        request,
        carried: nothingCarried,
        grants,
        isOlder: false,
        baseline: true,
      },
      model: { id: "m", contextWindow: 32_000 },
    },
    state: {
      history: [],
      toolProtocol: "native",
      mode,
      ledger: null,
      run: null,
      plan: makePlan({ checkpoints: [{ command: push }, { command: "true" }] }),
    },
    emit(draft) {
      if (draft.event === "plan") turn.state.plan = draft.data.plan;
      return { ...draft, id: 1 } as DurableEvent;
    },
    began: () => false,
    note: (from) => void turn.emit({ event: "message", data: { message: eventMessage(turn.state, from) } }),
    async *runCalls(calls) {
      ran.push(...calls);
      const value = { exitCode: 0, signal: null, timedOut: false, stdout: "", stderr: "", truncated: false };
      return calls.map(({ key }) => ({ key, ok: true, value, replayed: false, at: 1, ms: 1 }));
    },
  };
  for await (const _ of finishPlan(turn, pending(permitted), said));
  return {
    commands: ran.flatMap(({ op, args }) => (op === "exec" ? [args.command] : [])),
    said,
    status: turn.state.plan?.status,
  };
}

describe("a plan's own check that needs permission", () => {
  test.each(["normal", "auto"] as const)(
    "does not run where the person did not allow the call, in %s mode",
    async (mode) => {
      const { commands, said, status } = await finished(mode);
      expect(commands).toEqual(["true"]);
      expect(said.join("\n")).toContain(
        "The plan's check 1: Not checked: the person would have to allow the command",
      );
      expect(status).toBe("done");
    },
  );

  test("runs where the person allowed the call, or that command for the session", async () => {
    expect((await finished("normal", true)).commands).toEqual([push, "true"]);
    const only = { command: push, cwd: "" };
    const grant: Grant = { risk: "remote", program: "git", subcommand: "push", only };
    expect((await finished("normal", false, [grant])).commands).toEqual([push, "true"]);
  });
});
