// The sandbox server dies while a hook runs, alone or with the edge: the hook is not run again, the person and
// the model are told, and the turn continues.
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import { HooksState } from "../../shared/hooks.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { lastingPort, type Product, startProduct } from "../harness/product.ts";
import { collect, eventsOf, postTurn } from "../harness/sse.ts";
import { RunningServer, removeFolders, token, until } from "../sandbox/running-server.ts";
import { ask, post } from "./http/request.ts";
import { setPlan, step, write } from "./turns/plan-script.ts";

/** The model's replies in the turn, up to its final words. */
const deeds = [
  { calls: [setPlan("Write a note", [{ id: "s1", description: "Write note.txt" }])] },
  { calls: [write("note.txt")] },
  { calls: [step("s1", "done", "wrote it")] },
];
/** How many of the model's answers are in the journal when the hook runs. */
const answersBefore = {
  beforeTurn: 0,
  beforeStep: 1,
  beforeChange: 2,
  afterChange: 2,
  afterStep: 3,
  afterTurn: 3,
};

describe("a hook whose sandbox server dies while it runs", () => {
  let model: ModelServer;
  let server: RunningServer;
  let product: Product;
  const products: Product[] = [];
  let settings: { state: string; args: string[] };
  const start = async () => {
    const env = {
      ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "k", HANDRAIL_MODEL: "m" },
      ...{ SANDBOX_URL: server.url, SANDBOX_TOKEN: token, HANDRAIL_UNATTENDED_MINUTES: "0" },
    };
    product = await startProduct({ env });
    products.push(product);
  };
  beforeAll(async () => {
    model = await startModelServer([{ text: "nothing scripted" }]);
    const port = await lastingPort();
    const first = await RunningServer.start({ args: ["--port", port] });
    settings = { state: first.state, args: ["--port", port] };
    server = first;
    await start();
  });
  afterAll(async () => {
    for (const one of products) await one.close();
    await server.stop();
    await model.close();
    await removeFolders();
  });

  const fileOf = async ({ sandboxId }: Conversation, path: string) => {
    const { status, text } = await ask(
      product,
      `/api/sandboxes/${sandboxId}/file?path=${encodeURIComponent(path)}`,
    );
    return status === 200 ? text : undefined;
  };

  const both = ["with the edge", "alone"] as const;
  const times = Object.entries(answersBefore).flatMap(([when, answers]) =>
    both.map((dies) => [when, dies, answers] as const),
  );

  test.each(times)(
    "%s, %s: it ran once, both outcomes are reported, and the turn ends",
    async (when, dies, answers) => {
      const hooks = { [when]: ["echo ran >> hooks.log; sleep 1000"] };
      model.play([
        { calls: [write(".handrail/config.json", JSON.stringify({ hooks }))] },
        { text: "written" },
      ]);
      const made = await ask(product, "/api/sandboxes", post({ source: { sample: true } }));
      const talk = new Conversation(product, SandboxAnswer.parse(made.json).sandboxId, "auto");
      await talk.say("Write it.");
      const state = await ask(product, `/api/sandboxes/${talk.sandboxId}/hooks`);
      talk.options = { hooks: true };
      await talk.turn({ type: "hooks", hash: HooksState.parse(state.json).hash });

      model.play([...deeds, { text: "done" }]);
      const body = talk.body({ type: "message", text: "Go" });
      const seen = postTurn(product, body)
        .then((response) => collect(eventsOf(response)))
        .catch(() => []);
      await until(async () => (await fileOf(talk, "hooks.log")) === "ran\n");
      await server.kill();
      if (dies === "with the edge") await product.kill("SIGKILL");
      await seen;
      server = await RunningServer.start(settings);
      if (dies === "with the edge") await start();
      model.play([...deeds.slice(answers), { text: "done" }, { text: "done" }]);
      const events = await collect(eventsOf(await postTurn(product, { ...body, attempt: 2 })));
      for (const event of events) talk.keep(event);
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(await fileOf(talk, "hooks.log")).toBe("ran\n");
      // The person is told in the transcript, or in the card of the change.
      const told = talk.messages.filter(
        (message) =>
          message.role === "tool" || (message.role === "event" && message.extra.event.source === "hook"),
      );
      const place = when.endsWith("Step") ? `${when} s1` : when;
      const lost = told.filter(({ content }) =>
        content.includes(`(${place}) failed: the sandbox server ended`),
      );
      expect(lost).toHaveLength(1);
      expect(lost[0]?.content).toContain(`not run again for this ${/[A-Z].*/.exec(when)?.[0].toLowerCase()}`);
      const read = JSON.stringify(model.requests.at(-1)?.body.messages);
      expect(read).toContain(`(${place}) failed: the sandbox server ended`);
      expect(await fileOf(talk, "note.txt")).toBe(when === "beforeChange" ? undefined : "x\n");
    },
  );
});
