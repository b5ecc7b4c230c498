import { expect } from "vitest";
import { test } from "./fixture.ts";
import { pickMode, say } from "./phone.ts";

test("an answer is streamed, shown as markdown, and never as HTML", { tags: "long" }, async ({
  model,
  session: page,
}) => {
  model.play([{ text: "Some **bold** words, `code` and <img src=x onerror=alert(1)>.\n\n- one\n- two" }]);
  await say(page, "Explain");
  const said = page.locator(".said").last();
  await said.locator("strong", { hasText: "bold" }).waitFor();
  await said.locator("li", { hasText: "two" }).waitFor();
  expect(await page.locator("img").count()).toBe(0);
  expect(await said.textContent()).toContain("<img src=x onerror=alert(1)>");
});

test("a whole answer is copied with one tap, as the model wrote it; words between its calls have no button", {
  tags: "long",
}, async ({ model, session: page }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const text = "Some **bold** words.\n\n- one\n- two";
  model.play([{ text: "First I look.", calls: [{ name: "list_files", args: { path: "." } }] }, { text }]);
  await say(page, "Explain");
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
});

test("a write in plan mode is shown as refused, and the turn goes on", { tags: "long" }, async ({
  model,
  session: page,
}) => {
  model.play([
    { calls: [{ name: "write_file", args: { path: "a.txt", content: "x", base: null } }] },
    { text: "I may not write." },
  ]);
  await pickMode(page, "Plan");
  await say(page, "Write a file");
  await page.locator(".card.refused", { hasText: "Refused" }).waitFor();
  await page.getByText("I may not write.").waitFor();
  const offered = model.requests.at(-1)?.body.tools?.map((tool) => tool.function.name);
  expect(offered).not.toContain("write_file");
});

test("a destructive command waits for the person, runs once allowed, and its output opens with a tap", async ({
  model,
  session: page,
}) => {
  model.play([
    { calls: [{ name: "run_command", args: { command: "echo begin && rm -rf build && echo gone" } }] },
    { text: "Cleaned." },
  ]);
  await say(page, "Clean up");
  const card = page.locator(".card.permission");
  await card.getByText("rm -rf build").waitFor();
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("Cleaned.").waitFor();
  const ran = page.locator(".card.call", { hasText: "Ran" });
  await ran.getByRole("button").click();
  await ran.getByText("gone", { exact: false }).last().waitFor();
});

test("a command longer than a small screen is read from its start to its end before it can be allowed", {
  tags: "long",
}, async ({ model, session: page }) => {
  await page.setViewportSize({ width: 320, height: 568 });
  const lines = Array.from({ length: 40 }, (_, index) => `echo line ${index}`);
  const command = ["echo begins", "rm -rf build", ...lines, "echo ends"].join("\n");
  model.play([
    { calls: [{ name: "run_command", args: { command } }] },
    { calls: [{ name: "run_command", args: { command: "rm -rf dist" } }] },
    { text: "Cleaned." },
  ]);
  await say(page, "Clean up");
  const allow = page.getByRole("button", { name: "Allow once" });
  const rest = page.getByRole("button", { name: "Show the rest" });
  await rest.waitFor();
  const inSight = async (end: "start" | "end") => {
    const mark = await page.locator(`.asked-${end}`).boundingBox();
    const box = await page.locator(".asked-card").boundingBox();
    return mark !== null && box !== null && mark.y >= box.y - 1 && mark.y < box.y + box.height;
  };
  await expect.poll(() => inSight("start")).toBe(true);
  expect(await inSight("end")).toBe(false);
  expect(await allow.count()).toBe(0);
  expect(await page.getByRole("button", { name: "Allow for this session" }).isDisabled()).toBe(true);
  const header = page.locator(".head-words > p");
  expect(await header.evaluate((words) => words.getBoundingClientRect().height)).toBeLessThan(24);
  let taps = 0;
  while (!(await inSight("end"))) {
    await rest.click();
    taps += 1;
    expect(taps).toBeLessThan(12);
  }
  expect(taps).toBeGreaterThan(1);
  await allow.click();
  // The next command is short, so the card shows it immediately.
  await page.locator(".card.permission").getByText("rm -rf dist").waitFor();
  await allow.click();
  await page.getByText("Cleaned.").waitFor();
  expect(await page.getByText("Cleaned.").isVisible()).toBe(true);
});

test("a denied command is not run", { tags: "long" }, async ({ model, session: page }) => {
  model.play([
    { calls: [{ name: "run_command", args: { command: "rm -rf src" } }] },
    { text: "Then I leave it." },
  ]);
  await say(page, "Delete src");
  await page.locator(".card.permission").waitFor();
  await page.getByRole("button", { name: "Deny…" }).click();
  await page.getByRole("button", { name: "Deny without a reason" }).click();
  await page.getByText("Then I leave it.").waitFor();
  await page.getByText("Not run: rm -rf src · you denied it").waitFor();
  await page.getByText("You did not allow rm -rf src").waitFor();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("dialog").getByText("Changes", { exact: true }).click();
  await page.getByText("Nothing has changed since the session began.").waitFor();
});

test("a running command shows its output live, and Stop ends it", { tags: "long" }, async ({
  model,
  session: page,
}) => {
  model.play([{ calls: [{ name: "run_command", args: { command: "echo first; sleep 60; echo never" } }] }]);
  await say(page, "Wait");
  await page.locator(".now-output", { hasText: "first" }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Stopped", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  await page.locator(".card.call", { hasText: "stopped" }).waitFor();
});

test("a model that does not answer is reported, and Try again continues", { tags: "long" }, async ({
  model,
  session: page,
}) => {
  model.play([{ status: 401, body: { error: { message: "bad key" } } }]);
  await say(page, "Hello");
  await page.getByRole("button", { name: "Retry" }).waitFor();
  model.play([{ text: "Now I do." }]);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Now I do.").waitFor();
});

test("in auto mode what ran without asking is listed at the end of the turn, one tap away from its undo", {
  tags: "long",
}, async ({ model, session: page }) => {
  await pickMode(page, "Auto");
  const write = (name: string) => ({
    calls: [{ name: "run_command", args: { command: `echo made > ${name}` } }],
  });
  model.play([write("one.txt"), write("two.txt"), { text: "Made both." }]);
  await say(page, "Make two files");
  await page.getByText("Made both.").waitFor();
  await page.getByText("Ran without asking: 2").click();
  await page.locator(".ran-unasked code", { hasText: "echo made > two.txt" }).waitFor();
  await page.getByRole("button", { name: "Undo this turn" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("2 files go back to what they were").waitFor();
  await sheet.getByRole("button", { name: "Restore the files" }).click();
  await page.getByText("Nothing has changed since the session began.").waitFor();
});

test("an edit is a card with its counts, and its diff opens with a tap", { tags: "long" }, async ({
  model,
  session: page,
}) => {
  model.play([
    { calls: [{ name: "write_file", args: { path: "notes.md", content: "# Notes\n\none\n", base: null } }] },
    { text: "Written." },
  ]);
  await say(page, "Write notes");
  const card = page.locator(".card.call", { hasText: "notes.md" });
  await card.getByText("+3 −0").waitFor();
  await card.getByRole("button").click();
  await card.locator(".diff-line.added", { hasText: "# Notes" }).waitFor();
});

test("files are reverted to before any message, without a plan; Markdown is rendered; a file is mentioned with @", {
  tags: "long",
}, async ({ model, session: page }) => {
  const write = (path: string, content: string) => ({
    calls: [{ name: "run_command", args: { command: `printf '${content}' > ${path}` } }],
  });
  model.play([write("notes.md", "# First\\n"), { text: "One." }]);
  await say(page, "Begin notes");
  await page.getByText("One.").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  model.play([write("notes.md", "# Second\\n"), { text: "Two." }]);
  await page.locator(".composer textarea").fill("Change @not");
  await page.getByRole("list", { name: "Files" }).getByRole("button").first().click();
  await expect.poll(() => page.locator(".composer textarea").inputValue()).toBe("Change @notes.md ");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Two.").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  await say(page, "/diff");
  await page.getByRole("button", { name: "Rendered" }).click();
  await page.locator(".rendered").getByRole("heading", { name: "Second" }).waitFor();
  await page.getByRole("button", { name: "Undo to…" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: /Change @notes.md/ }).click();
  await sheet.getByText("1 file goes back").waitFor();
  await sheet.getByRole("button", { name: "Restore the files" }).click();
  await sheet.waitFor({ state: "detached" });
  await page.locator(".rendered").getByRole("heading", { name: "First" }).waitFor();
  await page.getByRole("button", { name: "Lines", exact: true }).click();
  await page.locator(".diff-line.added", { hasText: "# First" }).waitFor();
  // The undo can be undone even after a reload.
  await page.reload();
  await page.getByRole("button", { name: "Undo to…" }).click();
  await sheet.getByRole("button", { name: /Redo/ }).click();
  await sheet.getByText("1 file goes back").waitFor();
  await sheet.getByText("What changes").click();
  await sheet.locator(".diff-line.added", { hasText: "# First" }).waitFor();
  await sheet.getByRole("button", { name: "Restore the files" }).click();
  await sheet.waitFor({ state: "detached" });
  await page.locator(".diff-line.added", { hasText: "# Second" }).waitFor();
  // An unticked file is not changed.
  await page.getByRole("button", { name: "Undo to…" }).click();
  await sheet.getByRole("button", { name: /Begin notes/ }).click();
  await sheet.getByRole("checkbox").uncheck();
  await sheet.getByRole("button", { name: "Restore the files" }).click();
  await sheet.waitFor({ state: "detached" });
  await page.locator(".diff-line.added", { hasText: "# Second" }).waitFor();
});

test("a model or an effort chosen with /model is used, and the new setting is shown", {
  tags: "long",
}, async ({ model, session: page }) => {
  const sheet = page.getByRole("dialog");
  const chosen = async (command: string, words: RegExp) => {
    await say(page, command);
    await sheet.getByRole("status").getByText(words).waitFor();
  };
  const close = () => page.keyboard.press("Escape");
  await chosen("/model plan script high", /^Plans from the next message on: scripted · .*, high effort\.$/);
  expect(await sheet.getByRole("radio", { name: /^scripted/ }).isChecked()).toBe(true);
  expect(await sheet.getByRole("radio", { name: "High" }).isChecked()).toBe(true);
  await close();
  await chosen("/model script", /^Answers from the next message on: scripted · [^,]*\.$/);
  await close();
  await chosen("/model low", /^Answers from the next message on: scripted · .*, low effort\.$/);
  await close();
  await pickMode(page, "Plan");
  await chosen("/model medium", /^Plans from the next message on: scripted · .*, medium effort\.$/);
  await close();
  await say(page, "/model plan nothing-like-it");
  await page.getByText("The server has no model nothing-like-it.").waitFor();
  await close();
  model.play([{ text: "Hello." }]);
  await say(page, "Hello");
  await page.getByText("Hello.", { exact: true }).waitFor();
  expect(model.requests.at(-1)?.body).toMatchObject({ reasoning_effort: "medium" });
});

test("a long command gets the room of what does not run, on the smallest screen and with 200 % text", {
  tags: "long",
}, async ({ model, session: page }) => {
  await page.setViewportSize({ width: 320, height: 568 });
  const command =
    "npx ava test/retry.ts --match 'total timeout*' 2>&1 | tail -n 40 && rm -rf node_modules/.cache/ava/a-build distribution/a-temporary-build && git push --force-with-lease origin handrail/total-timeout-for-retries:main";
  model.play([{ calls: [{ name: "run_command", args: { command } }] }, { text: "Done." }]);
  await say(page, "Clean up");
  await page.getByRole("button", { name: "Deny…" }).waitFor();
  const seen = () =>
    page.locator(".asked-card").evaluate((card) => {
      const [box, pre] = [card.getBoundingClientRect(), card.querySelector("pre")?.getBoundingClientRect()];
      return pre === undefined ? 0 : Math.min(box.bottom, pre.bottom) - Math.max(box.top, pre.top);
    });
  const top = (name: string) =>
    page.getByRole("button", { name }).evaluate((button) => button.getBoundingClientRect().top);
  await expect.poll(seen).toBeGreaterThan(568 * 0.4);
  await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
  await expect.poll(() => top("Allow for this session")).toBe(await top("Deny…"));
  await expect.poll(seen).toBeGreaterThan(568 * 0.2);
  const why = page.locator(".asked-why");
  expect(await why.evaluate((words) => words.scrollWidth - words.clientWidth)).toBe(0);
  // On a larger screen the card of what runs is shown completely or not at all.
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.locator(".now-card").isVisible()).toBe(false);
  const rest = page.getByRole("button", { name: "Show the rest" });
  while ((await rest.count()) > 0) await rest.click();
  await page.getByRole("button", { name: "Allow once" }).waitFor();
});
