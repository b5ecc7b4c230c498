// `deliver`: the model asks for a delivery, and the person's sheet carries it out and reports. Also a push by
// a command, which has no login.
import { expect, test } from "vitest";
import type { TurnInput } from "../../../shared/turn.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import type { Stage } from "./stage.ts";

export function describeDeliver(stage: Stage): void {
  const call = (args: Record<string, unknown>): ModelReply => ({
    calls: [{ id: "d-1", name: "deliver", args }],
  });
  const push = call({ do: "push" });
  const permit = (decision: "once" | "session" | "deny", text?: string): TurnInput => ({
    ...{ type: "permit", toolCallId: "d-1", decision },
    ...(text === undefined ? {} : { text }),
  });
  const open = async (reply: ModelReply) => {
    const talk = await stage.open([reply, { text: "done" }]);
    talk.options = { deliver: true };
    const events = await talk.say("Push it.");
    return { talk, events };
  };
  const result = (talk: Awaited<ReturnType<Stage["open"]>>) =>
    talk.messages.findLast(({ role }) => role === "tool")?.content ?? "";

  test("a push asks the person in every mode, and reports what they did", async () => {
    const { talk, events } = await open(push);
    expect(events.find(({ event }) => event === "permission")?.data).toMatchObject({
      ...{ name: "deliver", risk: "remote", why: "It asks you to push. A sheet shows all of it first." },
    });
    await talk.turn(permit("once", "pushed 1234567 to handrail/x on git.example.com."));
    expect(result(talk)).toContain("The person did it: pushed 1234567 to handrail/x");
  });

  test.each(["once", "session"] as const)("%s without what was done pushes nothing", async (decision) => {
    const { talk } = await open(push);
    await talk.turn(permit(decision));
    expect(result(talk)).toContain("nothing was done");
  });

  test("a denial reaches the model with its reason, and a call with an unknown action is malformed", async () => {
    const { talk } = await open(push);
    await talk.turn(permit("deny", "not before the tests pass"));
    expect(result(talk)).toContain("not before the tests pass");
    const other = await open(call({ do: "merge" }));
    expect(result(other.talk)).toContain("error: deliver");
  });

  test("a client that cannot show it is not asked", async () => {
    const talk = await stage.open([push, { text: "done" }]);
    const events = await talk.say("Push it.");
    expect(events.some(({ event }) => event === "permission")).toBe(false);
    expect(result(talk)).toContain("there is no sheet for it here");
  });

  test.each([
    "fatal: could not read Username for 'https://git.example.com': terminal prompts disabled",
    "fatal: unable to access 'https://git.example.com/a/b.git/': Could not resolve host: git.example.com",
  ])("a command that git does not allow to reach a remote says who pushes: %s", async (said) => {
    const command = `echo "${said}" >&2; exit 128`;
    const talk = await stage.open([
      { calls: [{ id: "c-1", name: "run_command", args: { command } }] },
      { text: "done" },
    ]);
    await talk.say("Try it.");
    expect(result(talk)).toContain("commands have no login for the remote: the person pushes");
  });
}
