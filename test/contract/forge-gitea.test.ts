// Features that only Gitea has: comments on lines without threads, and servers that cannot reply or resolve
// yet.
// @module-tag long
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { PlayedPull } from "../fakes/forge/played-forge.ts";
import { asked, type ForgeStage, openStage, refusal, seen } from "./forge/stage.ts";
import { post } from "./http/request.ts";

let stage: ForgeStage;
beforeAll(async () => {
  stage = await openStage("gitea");
});
afterAll(() => stage.close());
afterEach(() => {
  stage.forge.quirks = { ...stage.forge.usual };
});

/** A pull request with a line comment by Bob. */
async function commented(branch: string): Promise<{ path: string; pull: PlayedPull; number: number }> {
  const path = await stage.branch(branch);
  await stage.ask(path, asked());
  const pull = stage.forge.pulls.find(({ head }) => head === branch);
  if (!pull) throw new Error("not made");
  const line = { by: "bob", path: "a.txt", line: 1, resolved: false };
  pull.threads.push({ ...line, id: "800", text: "Why three?" });
  return { path, pull, number: pull.number };
}

test("comments on one line are one thread, and one on a line that the change deletes is not outdated", async () => {
  const { path, pull } = await commented("handrail/lines");
  const about = { by: "bob", path: "a.txt", resolved: false };
  pull.threads.push({ ...about, id: "810", text: "Why not one?", line: 1, isOld: true });
  pull.threads.push({ ...about, id: "820", text: "And here?", line: 2 });
  if (pull.threads[0]) pull.threads[0].answers = [{ by: "eve", text: "Good question." }];
  const { comments } = seen(await stage.ask(path));
  expect(comments.map(({ thread, text, line, outdated }) => [thread, text, line, outdated])).toEqual([
    ["800", "Why three?", 1, false],
    ["810", "Why not one?", 1, false],
    ["820", "And here?", 2, false],
  ]);
  expect(comments[0]?.answers).toEqual([{ by: "eve", text: "Good question." }]);
});

test("a server before 1.27 gets replies as a quote, once, and says that it cannot resolve threads", async () => {
  const { path, pull, number } = await commented("handrail/older");
  stage.forge.quirks.isOlder = true;
  const answer = (more: object = {}) =>
    stage.ask(`${path}/answer`, post({ number, text: "As\nasked.", thread: "800", ...more }));
  for (const _ of [1, 2]) expect((await answer()).status).toBe(204);
  expect(pull.comments.map(({ text }) => text)).toEqual([
    "> bob (a.txt, line 1):\n> Why three?\n\nAs\nasked.",
  ]);
  expect(refusal(await answer({ resolve: true }))).toMatchObject({
    reason: "unsupported",
    words: expect.stringContaining("do it in its pages"),
  });
  expect([pull.comments.length, pull.threads[0]?.resolved]).toEqual([1, false]);
});
