// Calls that wait for the person: each condition of the gates separately. Whole turns are in
// test/contract/turns.
import { describe, expect, test } from "vitest";
import { commandNetwork, networkGate, networkRisk } from "../../../functions/calls/network-gate.ts";
import {
  gate,
  isApproval,
  personAsksForCommits,
  unknownOutcome,
  wasApproved,
} from "../../../functions/calls/permission.ts";
import type { PendingCall } from "../../../functions/calls/prepared.ts";
import type { Grant } from "../../../shared/grant.ts";
import type { Message } from "../../../shared/message.ts";
import type { Mode } from "../../../shared/mode.ts";
import type { CallResult } from "../../../shared/sandbox.ts";
import { makePlan } from "../plan/plan-fixture.ts";

const common = { content: "", createdAt: 0, mode: "normal" as Mode };
const user = (id: string, content: string): Message => ({ ...common, id, role: "user", content });
const written = (
  id: string,
  status: "draft" | "executing",
  markdown: string,
  mode: Mode = "plan",
): Message => ({
  ...{ ...common, id, role: "plan", mode },
  extra: { plan: { ...makePlan({ status, markdown }), kind: "full" } } as never,
});
const event = (id: string, source: string, data: Record<string, unknown>): Message => ({
  ...{ ...common, id, role: "event" },
  extra: { event: { source, subkind: "note", data } } as never,
});
const approval = (id: string) => event(id, "approval", {});

describe("the network for one command", () => {
  const never: Grant = { risk: "network", program: "never", subcommand: "network" };
  const session: Grant = { risk: "network", program: "*", subcommand: "network" };
  const turn = (grants: Grant[] = [], network = "none", mode: Mode = "normal") =>
    ({ env: { network, grants }, state: { mode } }) as Parameters<typeof networkGate>[0];
  const asked = { permitted: false };
  const exec = (command: unknown, more = {}) => ({ op: "exec" as const, args: { command, ...more } });
  const closed = { why: undefined, hosts: undefined };
  const fetches = "curl https://files.example/x";

  test("is requested where the jail has none, with the hosts that the line names", () => {
    expect(networkGate(turn(), asked, exec("npm ci")).why).toMatch(/^`npm ci` needs the network.*remotes\.$/);
    expect(networkGate(turn(), asked, exec(fetches)).why).toContain("and `files.example`.");
    expect(networkGate(turn(), asked, exec(fetches)).hosts).toBeUndefined();
  });

  test.each<[string, ReturnType<typeof networkGate>]>([
    ["another op", networkGate(turn(), asked, { op: "change", args: { command: "npm ci" } })],
    ["no command", networkGate(turn(), asked, exec(undefined))],
    ["a command that needs none", networkGate(turn(), asked, exec("ls"))],
    ["a jail that has one", networkGate(turn([], "registries"), asked, exec("npm ci"))],
    ["plan mode", networkGate(turn([], "none", "plan"), asked, exec("npm ci"))],
    ["who does not want to be asked", networkGate(turn([never]), asked, exec("npm ci"))],
    ["that, with the call allowed", networkGate(turn([never]), { permitted: true }, exec("npm ci"))],
    ["that, beside a session's", networkGate(turn([session, never]), asked, exec("npm ci"))],
  ])("is neither requested nor given: %s", (_, found) => {
    expect(found).toEqual(closed);
  });

  test("is given with the hosts of the line once it is allowed, for the call, the session or these hosts", () => {
    const given = { why: undefined, hosts: ["files.example"] };
    const remote: Grant = {
      ...{ risk: "remote", program: "curl", subcommand: "" },
      only: { command: fetches, cwd: "sub" },
    };
    expect(networkGate(turn(), { permitted: true }, exec(fetches))).toEqual(given);
    expect(networkGate(turn([session]), asked, exec(fetches))).toEqual(given);
    expect(networkGate(turn([remote]), asked, exec(fetches, { cwd: "sub" }))).toEqual(given);
    expect(networkGate(turn([remote]), asked, exec(fetches)).why).toBeDefined();
    // A grant for something else does not allow the network, even for the same command.
    const other: Grant = { risk: "destructive", program: "npm", subcommand: "ci" };
    expect(networkGate(turn([other]), asked, exec("npm ci")).why).toBeDefined();
    expect(networkGate(turn([], "none", "auto"), asked, exec("npm ci")).why).toBeDefined();
  });

  test("is one risk on the card, with the command, or none", () => {
    expect(networkRisk(closed, "ls")).toEqual([]);
    expect(networkRisk(commandNetwork(turn(), asked, "npm ci"), "npm ci")).toMatchObject([
      { risk: "network", program: "*", subcommand: "network", command: "npm ci" },
    ]);
  });
});

describe("a permission", () => {
  const pending = (permitted = false): PendingCall => ({
    ...{ call: { id: "c1", name: "run_command", arguments: "{}" }, key: "t2/0/0", at: 0, permitted },
  });
  const turn = (mode: Mode, grants: Grant[] = [], history: Message[] = []): Parameters<typeof gate>[0] =>
    ({ env: { grants, request: { turnId: "t2" } }, state: { mode, history, plan: null } }) as never;
  const askedOf = (...given: Parameters<typeof gate>) => gate(...given)?.drafts[0]?.data;

  test("is asked for once, and not for a call that has it", () => {
    expect(gate(turn("normal"), pending(), ["ls"])).toBeUndefined();
    expect(gate(turn("normal"), pending(true), ["rm -rf src"])).toBeUndefined();
    expect(askedOf(turn("normal"), pending(), ["rm -rf src"])).toMatchObject({
      ...{ toolCallId: "c1", risk: "destructive", program: "rm" },
      only: { command: "rm -rf src", cwd: "" },
      why: expect.stringMatching(/^Deletes/),
    });
    expect(askedOf(turn("normal"), pending(), ["rm -rf src"])).not.toHaveProperty("commands");
  });

  test("names each check it concerns, and lists all commands", () => {
    const asked = askedOf(turn("normal"), pending(), ["ls", "rm -rf a", "rm -rf b"], "checkpoints");
    expect(asked).toMatchObject({ commands: ["ls", "rm -rf a", "rm -rf b"] });
    expect((asked as { why: string }).why.split("\n")).toEqual([
      expect.stringMatching(/^The checkpoint `rm -rf a`: Deletes/),
      expect.stringMatching(/^The checkpoint `rm -rf b`: Deletes/),
    ]);
  });

  test("covers other risks than those of the line, and the folder where it runs", () => {
    const more = [{ risk: "network" as const, why: "w", program: "*", subcommand: "network", command: "ls" }];
    expect(askedOf(turn("normal"), pending(), ["ls"], undefined, more)).toMatchObject({ risk: "network" });
    expect(askedOf(turn("normal"), pending(), ["rm -rf a"], undefined, [], "sub")).toMatchObject({
      only: { command: "rm -rf a", cwd: "sub" },
    });
  });

  test("for a commit is asked for in auto mode alone, unless the person requested one", () => {
    const commit = ["git commit -m x"];
    expect(gate(turn("normal"), pending(), commit)).toBeUndefined();
    expect(gate(turn("auto"), pending(), commit)).toBeDefined();
    expect(gate(turn("auto", [], [user("t2.user", "Fix it and commit")]), pending(), commit)).toBeUndefined();
  });

  test("is asked for again where it is unknown whether something ran, and not after mere reading", () => {
    const lost = (details?: unknown) =>
      ({ key: "k", ok: false, error: { code: "outcome_unknown", message: "", details } }) as CallResult;
    const failed = { key: "k", ok: false, error: { code: "not_found", message: "" } } as CallResult;
    const asked = (...given: Parameters<typeof unknownOutcome>) => unknownOutcome(...given)?.drafts[0]?.data;
    for (const op of ["exec", "change", "restore"] as const)
      expect(asked(pending(), op, lost())).toMatchObject({ risk: "outcome_unknown" });
    expect(unknownOutcome(pending(), "read", lost())).toBeUndefined();
    expect(unknownOutcome(pending(), "exec", failed)).toBeUndefined();
    expect(unknownOutcome(pending(), "exec", undefined)).toBeUndefined();
    expect(asked(pending(), "exec", lost({ output: "so far" }))).toMatchObject({ output: "so far" });
    expect(asked(pending(), "exec", lost({ output: 1 }))).not.toHaveProperty("output");
    expect(asked(pending(), "exec", lost())).not.toHaveProperty("commands");
    expect(asked(pending(), "exec", lost(), "npm test")).toMatchObject({ commands: ["npm test"] });
  });
});

describe("an approved plan", () => {
  const draft = (mode: Mode = "plan") => written("p", "draft", "", mode);
  const executing = makePlan({ status: "executing" });

  test.each<[string, boolean, Message[]]>([
    ["approved after it was written", true, [draft(), approval("a")]],
    ["approved by its version", true, [draft(), event("a", "person", { planVersion: 1, approved: true })]],
    ["approved before it was rewritten", false, [approval("a"), draft("normal")]],
    ["refused", false, [draft(), event("a", "person", { planVersion: 1, approved: false })]],
    [
      "with an event about something else",
      false,
      [draft("normal"), event("a", "person", { approved: true })],
    ],
    ["written in auto mode", true, [draft("auto")]],
    ["written in normal mode", false, [draft("normal")]],
    ["written in plan mode, its approval cut off", true, [draft()]],
    ["going on in a later version", true, [draft(), approval("a"), written("q", "executing", "", "normal")]],
    ["written in normal mode, and approved", true, [draft("normal"), approval("a")]],
  ])("%s: %s", (_, is, messages) => {
    expect(wasApproved(executing, messages)).toBe(is);
  });

  test("is recognized by its status before it runs", () => {
    expect(wasApproved(makePlan({ status: "approved" }), [])).toBe(true);
    expect(wasApproved(makePlan({ status: "draft" }), [draft(), approval("a")])).toBe(false);
    expect(wasApproved(null, [approval("a")])).toBe(false);
  });

  test("is approved only by the person", () => {
    expect(isApproval(approval("a"))).toBe(true);
    expect(isApproval(event("a", "person", { planVersion: 1, approved: true }))).toBe(true);
    expect(isApproval(event("a", "person", { planVersion: 1, approved: false }))).toBe(false);
    expect(isApproval(event("a", "person", { approved: true }))).toBe(false);
    expect(isApproval(user("u", "approved"))).toBe(false);
  });
});

describe("commits are requested", () => {
  const asks = (history: Message[], plan = makePlan({ status: "executing" }), grants: Grant[] = []) =>
    personAsksForCommits({ env: { grants, request: { turnId: "t2" } }, state: { history, plan } });
  const plan = (markdown: string, mode: Mode = "plan") => written("p", "draft", markdown, mode);

  test("by the person's messages in this turn, and by what the journal has of earlier ones", () => {
    expect(asks([user("t2.user", "and commit it")])).toBe(true);
    expect(asks([user("t2.user", "and test it")], makePlan())).toBe(false);
    expect(asks([user("t1.user", "and commit it")])).toBe(false);
    expect(asks([user("t22.user", "and commit it")])).toBe(false);
    expect(asks([{ ...user("t2.0.0", "I commit it"), role: "assistant", finish: "stop" } as Message])).toBe(
      false,
    );
    expect(asks([], undefined, [{ risk: "commits", program: "git", subcommand: "commit" }])).toBe(true);
    expect(asks([], undefined, [{ risk: "remote", program: "git", subcommand: "commit" }])).toBe(false);
  });

  test("by the plan as approved, not as changed since or as a model wrote it for itself", () => {
    expect(asks([plan("1. Commit it"), approval("a")])).toBe(true);
    expect(asks([plan("1. Commit it"), user("t1.user", "Go on"), approval("a")])).toBe(true);
    expect(asks([plan("1. Test it"), approval("a")])).toBe(false);
    expect(asks([plan("1. Test it"), approval("a"), written("q", "executing", "1. Commit it")])).toBe(false);
    expect(asks([plan("1. Commit it")])).toBe(true);
    expect(asks([plan("1. Commit it", "auto")])).toBe(false);
    expect(asks([plan("1. Commit it", "normal")])).toBe(false);
    expect(asks([plan("1. Commit it"), event("a", "person", { planVersion: 1, approved: false })])).toBe(
      false,
    );
  });
});
