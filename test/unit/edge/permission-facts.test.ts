// Facts derived from the sandbox's journal: what the person was asked, what they allowed, and in which turn.
import { describe, expect, test } from "vitest";
import { PlanFacts } from "../../../sandbox/journal/plan-facts.ts";
import type { RunMode } from "../../../shared/turn.ts";

const call = { toolCallId: "c1", name: "run_command", arguments: '{"command":"rm -rf old"}' };
const asked = { ...call, risk: "destructive", why: "w", program: "rm", subcommand: "" };
const grant = { risk: "destructive", program: "rm", subcommand: "" };
const event = (subkind: string, data: Record<string, unknown>, source = "person") => ({
  message: { role: "event", extra: { event: { subkind, source, data } } },
});
const decided = (more: Record<string, unknown> = {}) =>
  event("tool_decision", { decision: "session", toolCallId: "c1", ...more });

/** The facts of a journal with these lines in this order, and a function that adds the next line. */
function journal() {
  const facts = new PlanFacts();
  let n = 0;
  const record = (turnId: string, name: string, data: unknown) => {
    n += 1;
    facts.event({ id: n, event: name, data }, { turnId, n, at: n });
  };
  const handOut = (turnId: string, callId = "c1") => facts.handOut(`call:${callId}`, turnId);
  return { facts, record, handOut, at: () => n };
}

test("requests for commits reach later turns, until all grants are revoked, and are not listed", () => {
  const { facts, record, at } = journal();
  record("t1", "message", { message: { role: "user", content: "Fix it and commit" } });
  record("t1", "message", { message: { role: "assistant", content: "I will commit" } });
  const told = () => facts.permissions.grantsOf({ id: "t2", openedAt: at() + 2 });
  expect(told()).toEqual([{ risk: "commits", program: "git", subcommand: "commit" }]);
  expect(facts.permissions.kept).toEqual([]);
  expect(facts.permissions.anyTurn).toBe("t1");
  facts.permissions.revoke("*", at() + 1);
  expect(told()).toEqual([]);
});

describe("a decision for the session", () => {
  test("grants what was asked, not what the decision claims", () => {
    const { facts, record, handOut } = journal();
    record("t1", "permission", asked);
    handOut("t2");
    record("t2", "message", decided({ risk: "remote", program: "git", subcommand: "push" }));
    expect(facts.permissions.kept).toMatchObject([{ ...grant, id: "t2" }]);
  });

  test("for one command line is stored with it, separate from another's, and revoked alone", () => {
    const { facts, record, handOut, at } = journal();
    for (const [index, command] of ["rm -rf a", "rm -rf b"].entries()) {
      record("t", "permission", { ...asked, toolCallId: `c${index}`, only: { command, cwd: "" } });
      handOut(`d${index}`, `c${index}`);
      record(`d${index}`, "message", decided({ toolCallId: `c${index}` }));
    }
    const commands = () => facts.permissions.kept.map(({ only }) => only?.command);
    expect(commands()).toEqual(["rm -rf a", "rm -rf b"]);
    facts.permissions.revoke("d0", at() + 1);
    expect(commands()).toEqual(["rm -rf b"]);
  });

  test("in a journal of an earlier version, whose question does not say it, grants what the decision says", () => {
    const { facts, record, handOut } = journal();
    const { program: _, subcommand: __, ...old } = asked;
    record("t1", "permission", old);
    handOut("t2");
    record("t2", "message", decided(grant));
    expect(facts.permissions.kept).toMatchObject([grant]);
  });

  test.each([
    ["that another turn was handed", "t3", decided()],
    ["for once", "t2", decided({ decision: "once" })],
    ["about another call", "t2", decided({ toolCallId: "c2" })],
    [
      "that no person made a decision about",
      "t2",
      event("system_notice", { decision: "session", toolCallId: "c1" }),
    ],
  ])("%s grants nothing", (_, turnId, data) => {
    const { facts, record, handOut } = journal();
    record("t1", "permission", asked);
    handOut(turnId);
    record("t2", "message", data);
    expect(facts.permissions.kept).toEqual([]);
  });

  test("`never` stands for the network alone, and a hook is decided on in the turn that asked", () => {
    for (const [risk, kept] of [
      ["network", 1],
      ["destructive", 0],
    ] as const) {
      const { facts, record, handOut } = journal();
      record("t1", "permission", { ...asked, risk });
      handOut("t2");
      record("t2", "message", decided({ decision: "never" }));
      expect(facts.permissions.kept).toHaveLength(kept);
    }
    const { facts, record } = journal();
    record("t1", "permission", { ...asked, risk: "hooks" });
    record("t1", "message", decided());
    expect(facts.permissions.kept).toHaveLength(1);
  });

  test("counts for later turns and its own, and not for one claimed before", () => {
    const { facts, record, handOut } = journal();
    record("t1", "permission", asked);
    handOut("t2");
    record("t2", "message", decided());
    const { permissions } = facts;
    expect(permissions.grantsOf({ id: "t2", openedAt: 1 })).toEqual([grant]);
    expect(permissions.grantsOf({ id: "before", openedAt: 2 })).toEqual([]);
    expect(permissions.grantsOf({ id: "after", openedAt: 3 })).toEqual([grant]);
  });

  test("that was revoked still counts for turns claimed meanwhile, so that they replay the same", () => {
    const { facts, record, handOut } = journal();
    record("t1", "permission", asked);
    handOut("t2");
    record("t2", "message", decided());
    facts.permissions.revoke("t2", 10);
    expect(facts.permissions.kept).toEqual([]);
    expect(facts.permissions.grantsOf({ id: "meanwhile", openedAt: 5 })).toEqual([grant]);
    expect(facts.permissions.grantsOf({ id: "later", openedAt: 11 })).toEqual([]);
  });
});

describe("a permit", () => {
  const permit = (decision: "once" | "session" | "deny" | "again" | "done", more = {}) => ({
    ...call,
    decision,
    ...more,
  });
  const { facts, record } = journal();
  record("t1", "permission", asked);
  record("t1", "permission", { ...asked, toolCallId: "c2", risk: "outcome_unknown" });

  test.each(["once", "session"] as const)(
    "`%s` is accepted for a call that has not run, and no other",
    (decision) => {
      expect(() => facts.permissions.check(permit(decision))).not.toThrow();
      expect(() => facts.permissions.check(permit(decision, { toolCallId: "c2" }))).toThrow(/input.decision/);
    },
  );

  test.each(["again", "done"] as const)(
    "`%s` is accepted for a call that may have run, and no other",
    (decision) => {
      expect(() => facts.permissions.check(permit(decision, { toolCallId: "c2" }))).not.toThrow();
      expect(() => facts.permissions.check(permit(decision))).toThrow(/input.decision/);
    },
  );

  test.each([
    { toolCallId: "c3" },
    { name: "write_file" },
    { arguments: "{}" },
    { arguments: `${call.arguments} ` },
  ])("for something other than what was asked, %j, is stale; denying it is harmless", (more) => {
    expect(() => facts.permissions.check(permit("once", more))).toThrow(/never asked about/);
    expect(() => facts.permissions.check({ ...permit("deny", more), mayHaveRun: true })).not.toThrow();
  });
});

describe("a request to run a plan", () => {
  const answer = (run: RunMode | undefined, more: Record<string, unknown> = {}) => ({
    message: { role: "tool", name: "ask_user", ok: true, meta: { facts: run ? { run } : {} }, ...more },
  });
  const wishAfter = (...messages: unknown[]) => {
    const { facts, record } = journal();
    for (const data of messages) record("t", "message", data);
    return facts.permissions.run;
  };

  test("is that of the latest answers", () => {
    expect(wishAfter(answer("auto"))).toBe("auto");
    expect(wishAfter(answer("auto"), answer("normal"))).toBe("normal");
    expect(wishAfter(answer("auto"), { message: { role: "assistant" } }, event("tick", {}))).toBe("auto");
  });

  test.each([
    ["said something", { message: { role: "user" } }],
    ["answered without it", answer(undefined)],
    ["changed the mode", event("mode_switch", {})],
    ["approved a plan to be held", event("system_notice", {}, "approval")],
    ["went back to a step", event("system_notice", {}, "rewind")],
  ])("ends once the person %s", (_, act) => {
    expect(wishAfter(answer("auto"), act)).toBeUndefined();
  });

  test.each([
    answer("auto", { ok: false }),
    answer("auto", { name: "run_command" }),
    answer("sudo" as RunMode),
  ])("is in no other result", (data) => expect(wishAfter(data)).toBeUndefined());
});

describe("a denial", () => {
  const deny = { ...call, decision: "deny" as const };
  const refusal = expect.objectContaining({ details: { toolCallId: "c1", mayHaveRun: true } });

  test("of a waiting call says that nothing was done", () => {
    const { facts, record } = journal();
    record("t1", "permission", asked);
    expect(() => facts.permissions.check(deny)).not.toThrow();
  });

  test.each([
    ["whose outcome is unknown", [{ ...asked, risk: "outcome_unknown" }]],
    ["that this journal, restored from a copy, never asked about", []],
  ])("of a call %s has to say that it may have run", (_, questions) => {
    const { facts, record } = journal();
    for (const question of questions) record("t1", "permission", question);
    expect(() => facts.permissions.check(deny)).toThrow(refusal);
    expect(() => facts.permissions.check({ ...deny, mayHaveRun: true })).not.toThrow();
  });
});

test("a call waited to run if the person was asked, and not whether it had run", () => {
  const { facts, record } = journal();
  expect(facts.permissions.waitedToRun("c1")).toBe(false);
  record("t1", "permission", asked);
  expect(facts.permissions.waitedToRun("c1")).toBe(true);
  record("t1", "permission", { ...asked, risk: "outcome_unknown" });
  expect(facts.permissions.waitedToRun("c1")).toBe(false);
});
