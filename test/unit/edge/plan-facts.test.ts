// Facts about the plan, derived from the sandbox's journal: which proposal may be decided on, by which turn, and whether
// the plan that a client posts is the one that was journaled.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { PlanFacts } from "../../../sandbox/journal/plan-facts.ts";
import { HandrailError } from "../../../shared/errors.ts";
import type { PostedPlan } from "../../../shared/journal.ts";
import { planContent } from "../../../shared/plan/plan-body.ts";
import { installPlan } from "../../../shared/plan/set-plan.ts";
import { planText } from "../../../shared/plan/written-plan.ts";

/** The facts of a journal, and functions that add the next event. */
function journal() {
  const facts = new PlanFacts();
  let n = 0;
  const record = (event: string, data: unknown, turnId = "t1") => {
    n += 1;
    facts.event({ id: n, event, data }, { turnId, n, at: n });
    facts.session.event({ id: n, event, data }, n, false);
  };
  const planned = (version: number, hash: string, status = "proposed") =>
    record("plan", { plan: { version, hash, status } });
  const proposed = (planVersion: number, planHash: string) => record("proposal", { planVersion, planHash });
  return { facts, record, planned, proposed };
}

/** The details of the refusal, or `accepted`. */
function outcome(check: () => void): unknown {
  try {
    check();
  } catch (error) {
    if (error instanceof HandrailError && error.code === "stale_plan") return error.details;
    throw error;
  }
  return "accepted";
}

describe("a proposal", () => {
  const resolves = (facts: PlanFacts, what: string, turnId = "t2") =>
    outcome(() => facts.checkResolves(what, turnId));

  test("is decided on under its version and hash alone", () => {
    const { facts, planned, proposed } = journal();
    expect(resolves(facts, "proposal:1:aa")).toEqual({});
    planned(1, "aa");
    expect(resolves(facts, "proposal:1:aa")).toEqual({});
    proposed(1, "aa");
    expect(resolves(facts, "proposal:1:aa")).toBe("accepted");
    const newest = { planVersion: 1, planHash: "aa" };
    for (const other of ["proposal:2:aa", "proposal:1:ab"]) expect(resolves(facts, other)).toEqual(newest);
  });

  test("is decided on by one turn, which may ask again, until the same text is proposed again", () => {
    const { facts, planned, proposed } = journal();
    planned(1, "aa");
    proposed(1, "aa");
    facts.handOut("proposal:1:aa", "t2");
    expect(resolves(facts, "proposal:1:aa", "t2")).toBe("accepted");
    expect(resolves(facts, "proposal:1:aa", "t3")).toEqual({ turnId: "t2" });
    proposed(1, "aa");
    expect(resolves(facts, "proposal:1:aa", "t3")).toBe("accepted");
  });

  test.each([
    ["another version", 2, "aa"],
    ["another text", 1, "ab"],
  ])("is withdrawn by %s of the plan, and not by the same", (_, version, hash) => {
    const { facts, planned, proposed } = journal();
    planned(1, "aa");
    proposed(1, "aa");
    planned(1, "aa", "approved");
    expect(resolves(facts, "proposal:1:aa")).toBe("accepted");
    planned(version, hash);
    expect([facts.proposal, resolves(facts, "proposal:1:aa")]).toEqual([null, {}]);
  });

  test.each([
    [{ planVersion: "1", planHash: "ab" }],
    [{ planVersion: 1 }],
    [{ planHash: "ab" }],
    ["proposed"],
    [null],
  ])("in the form %j replaces none", (data) => {
    const { facts, record, planned, proposed } = journal();
    planned(1, "aa");
    proposed(1, "aa");
    record("proposal", data);
    expect(facts.proposal).toEqual({ planVersion: 1, planHash: "aa" });
  });
});

describe("an open call", () => {
  const resolves = (facts: PlanFacts, turnId: string) =>
    outcome(() => facts.checkResolves("call:c1", turnId));

  test.each(["questions", "permission"])("is answered by one turn, until its %s is asked again", (event) => {
    const { facts, record } = journal();
    facts.handOut("call:c1", "t2");
    expect([resolves(facts, "t2"), resolves(facts, "t3")]).toEqual(["accepted", { turnId: "t2" }]);
    record("message", { toolCallId: "c1" });
    record(event, { toolCallId: "c2" });
    expect(resolves(facts, "t3")).toEqual({ turnId: "t2" });
    record(event, { toolCallId: "c1" });
    expect(resolves(facts, "t3")).toBe("accepted");
  });

  test("that a turn closed is answered by no other, and one that a turn answered is not taken from it", () => {
    const { facts } = journal();
    facts.close("c1", "t2");
    expect(resolves(facts, "t3")).toEqual({ turnId: "t2" });
    facts.close("c1", "t3");
    expect([resolves(facts, "t2"), resolves(facts, "t3")]).toEqual(["accepted", { turnId: "t2" }]);
  });

  test("is cancelled as waiting only if it was asked about before it ran, by the turn that may", () => {
    const cancels = (facts: PlanFacts, turnId: string) => outcome(() => facts.checkCancelled("c1", turnId));
    const mayHaveRun = { toolCallId: "c1", mayHaveRun: true };
    const { facts, record } = journal();
    expect(cancels(facts, "t2")).toEqual(mayHaveRun);
    const asked = { toolCallId: "c1", name: "run_command", arguments: "{}", program: "rm", subcommand: "" };
    record("permission", { ...asked, risk: "outcome_unknown" });
    expect(cancels(facts, "t2")).toEqual(mayHaveRun);
    record("permission", { ...asked, risk: "destructive" });
    expect(cancels(facts, "t2")).toBe("accepted");
    facts.handOut("call:c1", "t2");
    expect([cancels(facts, "t2"), cancels(facts, "t3")]).toEqual(["accepted", mayHaveRun]);
  });

  test.each(["questions", "permission"])(
    "with its %s is among what is open until a turn answers it",
    (event) => {
      const { facts, record } = journal();
      const open = () => facts.openNow().map((one) => one.event);
      record(event, { toolCallId: "c1", name: "run_command", arguments: "{}", risk: "destructive" });
      expect(open()).toEqual([event]);
      facts.handOut("call:c1", "t2");
      expect(open()).toEqual([]);
    },
  );

  test("tells the turn that answers it what was asked, and no other turn", () => {
    const { facts, record } = journal();
    const asked = { toolCallId: "c1", name: "run_command", arguments: "{}", why: "w" };
    const grant = { risk: "destructive", program: "rm", subcommand: "" };
    record("permission", { ...asked, ...grant });
    facts.handOut("call:c1", "t2");
    expect([facts.askedOf("t2"), facts.askedOf("t3")]).toEqual([[expect.objectContaining(grant)], []]);
  });
});

describe("a plan that a client posts", () => {
  const posts = (facts: PlanFacts, plan: PostedPlan | null) => outcome(() => facts.checkPlan(plan));
  const newest = { planVersion: 1, planHash: "aa" };

  test("is the newest one, in version and hash", () => {
    const { facts, planned } = journal();
    expect(posts(facts, { version: 1, hash: "aa" })).toEqual({});
    planned(1, "aa");
    expect(posts(facts, { version: 1, hash: "aa" })).toBe("accepted");
    expect(posts(facts, { version: 2, hash: "aa" })).toEqual(newest);
    expect(posts(facts, { version: 1, hash: "ab" })).toEqual(newest);
  });

  test("is missing only where there is none, or where it is over or forgotten", () => {
    const { facts, record, planned, proposed } = journal();
    expect(posts(facts, null)).toBe("accepted");
    planned(1, "aa");
    proposed(1, "aa");
    expect(posts(facts, null)).toEqual(newest);
    for (const over of ["done", "abandoned"]) {
      planned(1, "aa", over);
      expect(posts(facts, null)).toBe("accepted");
    }
    planned(1, "aa");
    record("step", { stepId: "s1", status: "active" });
    proposed(1, "aa");
    facts.forgetPlan();
    expect([posts(facts, null), facts.proposal]).toEqual(["accepted", null]);
    expect(facts.openNow()).toEqual([]);
  });

  test.each([
    ["draft", false],
    ["proposed", false],
    ["approved", true],
    ["executing", true],
  ])("claims to be under way only if it is: %s", (status, underWay) => {
    const { facts, planned } = journal();
    planned(1, "aa", status);
    const claims = posts(facts, { version: 1, hash: "aa", underWay: true });
    expect(claims).toEqual(underWay ? "accepted" : newest);
    expect(posts(facts, { version: 1, hash: "aa", underWay: false })).toBe("accepted");
  });

  test("has the steps and checks that were journaled, if the journal can tell", () => {
    const made = planText({
      goal: "Rest",
      steps: [{ id: "s1", description: "Rest", checkpoint: { command: "true" } }],
    });
    if (!made.ok) throw new Error(made.problem);
    const plan = installPlan(null, { ...made, hash: "a".repeat(64), source: "model" });
    const content = createHash("sha256").update(planContent(plan)).digest("hex");
    const { facts, record, planned } = journal();
    record("plan", { plan });
    const { version, hash } = plan;
    expect(posts(facts, { version, hash, content })).toBe("accepted");
    expect(posts(facts, { version, hash })).toBe("accepted");
    expect(posts(facts, { version, hash, content: "b".repeat(64) })).toEqual({
      planVersion: version,
      planHash: hash,
    });
    planned(1, "aa");
    expect(posts(facts, { version: 1, hash: "aa", content })).toBe("accepted");
  });

  test.each([
    [{ plan: { version: "2", hash: "bb" } }],
    [{ plan: { version: 2 } }],
    [{ plan: 1 }],
    [{}],
    ["plan"],
  ])("is compared with the one before an event of the form %j", (data) => {
    const { facts, record, planned } = journal();
    planned(1, "aa");
    record("plan", data);
    expect(posts(facts, { version: 1, hash: "aa" })).toBe("accepted");
  });
});
