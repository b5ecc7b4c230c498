// The network for one command in a sandbox without one: the person is asked before a command that obviously
// needs it, offered it after one that failed without it, and not asked again if they say so.
import { expect, test } from "vitest";
import type { SandboxAnswer } from "../../../shared/api.ts";
import type { TurnEvent } from "../../../shared/event.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { dataOf } from "../../harness/conversation.ts";
import { ask, post } from "../http/request.ts";
import { done, run } from "./forged.ts";
import { executing, reportsOf, setPlan, step } from "./plan-script.ts";
import type { Stage } from "./stage.ts";

/**
 * `fetches` fails without waiting. Without a network the error is the jail's, with one it is the proxy's
 * refusal.
 */
const fetches = "curl -sS -m 5 http://198.51.100.7:9/";
const script = "echo 'Could not resolve host: nowhere.invalid' >&2; exit 6";

export function describeNetwork(stage: Stage): void {
  const asked = (events: readonly TurnEvent[]) =>
    events.flatMap(({ event, data }) => (event === "permission" ? [{ risk: data.risk, why: data.why }] : []));
  const ran = (talk: Awaited<ReturnType<Stage["open"]>>) =>
    talk.messages.findLast(({ role }) => role === "tool")?.content ?? "";

  test.each(["normal", "auto"] as const)(
    "a command that needs the network asks before it runs in %s mode, and has it once allowed",
    async (mode) => {
      const talk = await stage.open([{ calls: [run("npm ci --loglevel=error", "n-1")] }, done], mode);
      const events = await talk.say("Install");
      expect(asked(events)).toEqual([
        {
          risk: "network",
          why: "`npm ci` needs the network, which commands do not have here. Allowed, it reaches package registries and the hosts of the repository's remotes.",
        },
      ]);
      stage.model().play([done]);
      await talk.turn({ type: "permit", toolCallId: "n-1", decision: "once" });
      expect(ran(talk)).not.toContain("commands have no network here");
      stage.model().play([{ calls: [run(fetches, "n-2")] }, done]);
      const named = await talk.say("Fetch");
      expect(asked(named)[0]?.why).toContain("and `198.51.100.7:9`.");
      stage.model().play([{ calls: [run(fetches, "n-3")] }, done]);
      await talk.turn({ type: "permit", toolCallId: "n-2", decision: "session" });
      expect(asked(talk.events).filter(({ why }) => why.includes("needs the network"))).toHaveLength(2);
    },
  );

  test("with the network set to off nobody is asked: the command runs without it, and the model is told", async () => {
    const talk = await stage.open([{ calls: [run("npm ci", "n-1")] }, done]);
    await talk.say("Install");
    stage.model().play([{ calls: [run("npm ci", "n-2")] }, done]);
    const events = await talk.turn({ type: "permit", toolCallId: "n-1", decision: "never" });
    expect(asked(events)).toEqual([]);
    const [denied, second] = talk.messages
      .filter(({ role }) => role === "tool")
      .map(({ content }) => content);
    expect(denied).toContain("commands get no network in this session");
    expect(second).toMatch(/^exit [1-9]/);
  });

  test("a command that failed without the network offers it, and has it when it is retried unchanged", async () => {
    const talk = await stage.open([{ calls: [run(script, "n-1")] }, done]);
    await talk.say("Look it up");
    const result = () => talk.messages.findLast((message) => message.role === "tool");
    expect(result()?.meta?.facts).toMatchObject({ needsNetwork: true });
    expect(ran(talk)).toContain("the person can open it for this command on the phone");
    const path = `/api/sandboxes/${talk.sandboxId}/network`;
    const opened = await ask(stage.product(), path, post({ scope: "once", command: script }));
    expect(opened.json).toEqual({ session: false, never: false, once: [script] });
    stage.model().play([{ calls: [run(script, "n-2")] }, done]);
    await talk.say("Again");
    const { json } = await ask(stage.product(), `/api/sandboxes/${talk.sandboxId}`);
    expect((json as SandboxAnswer).opened?.once).toEqual([]);
    await ask(stage.product(), path, post({ scope: "once", command: `${script} 2>&1 | tail -5` }));
    const once = async () =>
      ((await ask(stage.product(), `/api/sandboxes/${talk.sandboxId}`)).json as SandboxAnswer).opened?.once;
    stage.model().play([{ calls: [run(`${script}; curl -s x.invalid | tail -5`, "n-21")] }, done]);
    await talk.say("Something else");
    expect(await once()).toHaveLength(1);
    stage.model().play([{ calls: [run(`${script} | head -n 20`, "n-22")] }, done]);
    await talk.say("And less of its output");
    expect(await once()).toEqual([]);
    expect((await ask(stage.product(), path, post({ scope: "never" }))).json).toMatchObject({ never: true });
    stage.model().play([{ calls: [run(script, "n-3")] }, done]);
    await talk.say("Once more");
    expect(result()?.meta?.facts).not.toHaveProperty("needsNetwork");
    expect(ran(talk)).toContain("The person keeps it closed");
    expect((await ask(stage.product(), path, { method: "DELETE" })).status).toBe(204);
  });

  test("a plan's check that needs the network asks with its command, and has it once allowed", async () => {
    const check = 'npm view left-pad --fetch-retries=0 >/dev/null 2>&1; test -n "$HTTPS_PROXY"';
    const onlyCheck = [{ id: "s1", description: "Look", checkpoint: { command: check } }];
    const reports: ModelReply = { calls: [step("s1", "done", "looked")] };
    const { talk, events } = await executing(stage, setPlan("Look", onlyCheck), [reports, done]);
    expect(dataOf(events, "permission")).toMatchObject({
      risk: "network",
      commands: [check],
      why: `The checkpoint \`${check}\`: \`npm view left-pad\` needs the network, which commands do not have here. Allowed, it reaches package registries and the hosts of the repository's remotes.`,
    });
    const { toolCallId } = dataOf(events, "permission");
    stage.model().play([done]);
    await talk.turn({ type: "permit", toolCallId, decision: "once" });
    expect(talk.plan?.status).toBe("done");
  });

  test("a plan's check that failed without the network says so, and passes after it was opened and the step reported again", async () => {
    const check = `test -n "$HTTPS_PROXY" || { ${script}; }`;
    const looks = [{ id: "s1", description: "Look", checkpoint: { command: check } }];
    const report: ModelReply = { calls: [step("s1", "done", "looked")] };
    const { talk } = await executing(stage, setPlan("Look", looks), [report, done]);
    expect(reportsOf(talk).at(-1)).toMatchObject({ passed: false, needsNetwork: true });
    expect(ran(talk)).toContain("the person can open it for this command on the phone");
    const path = `/api/sandboxes/${talk.sandboxId}/network`;
    await ask(stage.product(), path, post({ scope: "once", command: check }));
    stage.model().play([report, done]);
    await talk.say("Report step s1 done again");
    expect(talk.plan?.status).toBe("done");
    expect(reportsOf(talk).findLast(({ kind }) => kind === "checkpoint")).not.toHaveProperty("needsNetwork");
  });

  test("nobody is asked for a network that plan mode, or this machine, does not need", async () => {
    const talk = await stage.open([{ calls: [run("curl -s http://127.0.0.1:1/", "n-1")] }, done]);
    expect(asked(await talk.say("Look"))).toEqual([]);
    const planning = await stage.open([{ calls: [run("npm ci", "n-2")] }, done], "plan");
    expect(asked(await planning.say("Plan"))).toEqual([]);
  });
}
