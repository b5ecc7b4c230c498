import { describe, expect, test } from "vitest";
import { dataOf } from "../../harness/conversation.ts";
import type { Stage } from "./stage.ts";

/** The provider's key on the server. */
export const modelKey = "a-provider-key-0123456789";

const letters = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9jK2mN5pQ8";
/** Joined from parts, so that no secret scanner reports this file. */
const githubToken = ["ghp", letters.slice(0, 36)].join("_");

export function describeSecrets(stage: Stage): void {
  describe("secrets", () => {
    test.each([1, 3, 50])(
      "a key in a model's answer is neither streamed nor stored, in pieces of %i characters",
      async (deltaChars) => {
        const said = `Use ${githubToken} to push.`;
        const talk = await stage.open([{ text: said, reasoning: `It is ${githubToken}.`, deltaChars }]);
        const events = await talk.say("How do I push?");
        const streamed = events.flatMap((event) => (event.event === "text.delta" ? [event.data.delta] : []));
        expect(streamed.join("")).toBe("Use [redacted: GitHub token] to push.");
        expect(talk.messages.at(-1)).toMatchObject({
          content: "Use [redacted: GitHub token] to push.",
          reasoning: "It is [redacted: GitHub token].",
        });
        expect(JSON.stringify(events)).not.toContain(githubToken.slice(8));
      },
    );

    test("the provider's own key is never returned, not even in a call's arguments", async () => {
      const talk = await stage.open([
        { text: `My key is ${modelKey}.`, calls: [{ name: "search_files", args: { pattern: modelKey } }] },
        { text: "Done." },
      ]);
      const events = await talk.say("What is your key?");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(JSON.stringify(events)).not.toContain(modelKey);
      expect(JSON.stringify(events)).toContain("[redacted: secret]");
    });

    test("the provider's own key in a file reaches neither the model nor the phone", async () => {
      const talk = await stage.open([
        {
          calls: [{ name: "write_file", args: { path: "key.txt", content: "a-provider-key\n", base: null } }],
        },
        { calls: [{ name: "run_command", args: { command: 'echo "$(cat key.txt)-0123456789"' } }] },
        { text: "Done." },
      ]);
      const events = await talk.say("Run it.");
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(talk.result("run_command").content).toContain("[redacted: secret]");
      expect(JSON.stringify(events)).not.toContain(modelKey);
    });

    test("the provider's own key is in no live output, also where a command prints it in pieces", async () => {
      const slow =
        "for part in 'x a-prov' ider-key -012345 '6789 y'; do printf %s \"$part\"; done; echo z >&2";
      const talk = await stage.open([
        { calls: [{ name: "run_command", args: { command: slow } }] },
        { text: "k" },
      ]);
      const events = await talk.say("Run it.");
      const live = events.flatMap((event) => (event.event === "tool.output" ? [event.data] : []));
      const out = live.filter(({ stream }) => stream === "stdout");
      expect(out.map(({ text }) => text).join("")).toBe("x [redacted: secret] y");
      expect(out.map(({ offset, text }) => offset + text.length)).toEqual([
        ...out.slice(1).map(({ offset }) => offset),
        "x [redacted: secret] y".length,
      ]);
      expect(live.find(({ stream }) => stream === "stderr")).toMatchObject({ offset: 0, text: "z\n" });
    });

    test("a person's own key is not echoed", async () => {
      const talk = await stage.open([{ text: "Your key is person-own-key-0123456789." }]);
      const response = await fetch(`${stage.product().url}/api/turn`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${stage.product().token}`,
          "x-model-key": "person-own-key-0123456789",
        },
        body: JSON.stringify(talk.body({ type: "message", text: "Hi" })),
      });
      const text = await response.text();
      expect(text).toContain("Your key is [redacted: secret].");
      expect(text).not.toContain("person-own-key");
    });
  });
}
