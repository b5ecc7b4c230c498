// Background commands: the model begins, reads and ends them; the person keeps or ends them; otherwise they
// end with the turn.
import { expect, test } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import { ask, post } from "../http/request.ts";
import { done } from "./forged.ts";
import type { Stage } from "./stage.ts";

const begins = (command: string) => ({
  calls: [{ name: "run_command", args: { command, background: true } }],
});
const reads = { calls: [{ name: "read_output", args: { waitMs: 30_000 } }] };
const stops = { calls: [{ name: "stop_command", args: {} }] };

export function describeBackground(stage: Stage): void {
  const running = async ({ sandboxId }: { sandboxId: string }) => {
    const { json } = await ask(stage.product(), `/api/sandboxes/${sandboxId}`);
    return SandboxAnswer.parse(json).background ?? [];
  };
  /** For every request from `before` on, whether it offered the tool that reads output. */
  const shownTools = (before: number) =>
    stage
      .model()
      .requests.slice(before)
      .map(({ body }) => body.tools?.map(({ function: { name } }) => name) ?? [])
      .map((names) => names.includes("read_output"));

  test("the model starts one, works meanwhile, reads its further output, and has the tools for that from then on", async () => {
    const talk = await stage.open([
      begins("echo up; until [ -e go ]; do sleep 0.02; done; echo seen"),
      { calls: [{ name: "write_file", args: { path: "go", content: "" } }] },
      reads,
      done,
    ]);
    const before = stage.model().requests.length;
    await talk.say("Start it");
    expect(talk.result("run_command").content).toMatch(
      /^runs in the background as \S+: read_output, stop_command/,
    );
    expect(talk.result("run_command").meta?.facts).toMatchObject({ background: expect.any(String) });
    // The first output comes with the start of the command, or on a slow machine only with the rest.
    const printed = ["run_command", "read_output"].map((name) => talk.result(name).content).join("\n");
    expect(printed).toMatch(/\nup\n(?:.*\n)*seen/);
    expect(talk.result("read_output").content).toMatch(/^exit 0\n/);
    expect(shownTools(before)).toEqual([false, true, true, true]);
  });

  test("it ends with the turn, by stop_command, or when the person ends it; a kept one keeps running", async () => {
    const talk = await stage.open([begins("echo one; sleep 1000"), done]);
    await talk.say("Start it");
    await expect.poll(() => running(talk)).toEqual([]);
    stage.model().play([begins("echo two; sleep 1000"), stops, done]);
    await talk.say("And stop it");
    expect(talk.result("stop_command").content).toMatch(/^ended by |^exit 1/);
    stage.model().play([begins("echo three; sleep 1000"), { calls: [{ name: "ask_user", args: question }] }]);
    await talk.say("Start it and ask");
    const [one] = await running(talk);
    const path = `/api/sandboxes/${talk.sandboxId}/background/${one?.id}`;
    expect((await ask(stage.product(), path, { method: "POST" })).status).toBe(204);
    stage.model().play([done]);
    await talk.say("Never mind");
    expect(await running(talk)).toMatchObject([
      { id: one?.id, command: "echo three; sleep 1000", kept: true },
    ]);
    expect((await ask(stage.product(), path, { method: "DELETE" })).status).toBe(204);
    expect(await running(talk)).toEqual([]);
    expect((await ask(stage.product(), `${path}x`, post({}))).status).toBe(404);
  });

  test("what needs a permission needs it in the background too", async () => {
    const talk = await stage.open([begins("git push origin main"), done]);
    const events = await talk.say("Push");
    expect(events.some(({ event }) => event === "permission")).toBe(true);
    expect(await running(talk)).toEqual([]);
  });
}

const question = { summary: "It runs.", questions: [{ id: "q", label: "Next", prompt: "What next?" }] };
