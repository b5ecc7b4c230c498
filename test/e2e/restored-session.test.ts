// A device that has only the token opens a session of 300 turns. The server has compacted some of them.
// @module-tag long
import { expect } from "vitest";
import * as limits from "../../sandbox/limits.ts";
import { SandboxAnswer } from "../../shared/api.ts";
import { ask, post } from "../contract/http/request.ts";
import { Conversation } from "../harness/conversation.ts";
import { test } from "./fixture.ts";
import { openPhone, pair } from "./phone.ts";
import { storedUnder, turnsStored } from "./stored-history.ts";

const turns = 300;

test("it shows the same transcript, its messages byte for byte, and continues from it", {
  timeout: 600_000,
}, async ({ browser, product, model }) => {
  model.play((_body, n) =>
    n % 3 === 0
      ? { calls: [{ name: "run_command", args: { command: `echo ${n} && ls` } }] }
      : { text: `Answer ${n}: äöü "quoted" \n\n\`code\`` },
  );
  const { json } = await ask(product, "/api/sandboxes", post({ source: { sample: true } }));
  const talk = new Conversation(product, SandboxAnswer.parse(json).sandboxId);
  let stored: { turnId: string; after: number } | undefined;
  for (let n = 1; n <= turns; n += 1) {
    const body = talk.body({ type: "message", text: `Message ${n}` });
    const events = await talk.turn(
      { type: "message", text: `Message ${n}` },
      {
        ...{ turnId: body.turnId, client: "the-first-phone" },
        ...(stored && { stored }),
      },
    );
    const last = events.findLast((event) => "id" in event);
    stored = { turnId: body.turnId, after: last && "id" in last ? last.id : 0 };
  }
  expect(turns).toBeGreaterThan(limits.wholeTurns);

  const { page, context, errors } = await openPhone(browser);
  await pair(page, product);
  await page.locator(".server-line", { hasText: "Message 1" }).click();
  await page.locator(".bubble", { hasText: `Message ${turns}` }).waitFor();
  await turnsStored(page);
  const entries = (await storedUnder(page, `segment/${talk.sandboxId}/`)).flat() as {
    data: { message?: unknown };
  }[];
  const messages = entries.flatMap(({ data }) => data.message ?? []);
  expect(messages.map((message) => JSON.stringify(message))).toEqual(
    talk.messages.map((message) => JSON.stringify(message)),
  );

  model.play((body) => ({
    text: `It has ${body.messages.filter(({ role }) => role === "user").length} of them.`,
  }));
  await page.locator(".composer textarea").fill("How many messages do you see?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(/It has \d+ of them\./).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});
