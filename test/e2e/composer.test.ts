// The composer with a keyboard and without one: modes, commands and sending.
// @module-tag long
import type { Browser, Page } from "playwright-core";
import { afterAll, describe, expect } from "vitest";
import { type FakeEdge, type Played, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, openPhone, pair, pickMode, say } from "./phone.ts";
import { answer, planning } from "./scenes.ts";

let browser: Browser;
let edge: FakeEdge;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  edge = await startFakeEdge();
  edge.play(planning);
});
afterAll(async () => {
  await edge?.close();
});

async function open(keyboard: boolean): Promise<Page> {
  const { page } = await openPhone(browser, { keyboard });
  await pair(page, edge);
  await newSession(page);
  return page;
}

function firstQuestion(played: Played): Played {
  if (typeof played === "string" || played instanceof Promise || played.event !== "questions") return played;
  const { event, data } = played;
  return { event, data: { ...data, questions: data.questions.slice(0, 1) } };
}

function pill(page: Page) {
  return page.locator(".pill");
}

/** The text of the mode pill and its row, in every mode. */
async function pillInAllModes(page: Page): Promise<string> {
  const seen: string[] = [];
  for (const mode of ["Normal", "Plan", "Auto"] as const) {
    await pickMode(page, mode);
    await page.locator(`.pill.${mode.toLowerCase()}`).waitFor();
    seen.push(await page.locator(".mode-row").innerHTML());
  }
  return seen.join("\n").replaceAll("><", ">\n<");
}

describe("with a keyboard", () => {
  test("the pill looks like this", async () => {
    const page = await open(true);
    expect(await pillInAllModes(page)).toMatchInlineSnapshot(`
      "<button type="button" class="pill normal" aria-haspopup="dialog">
      <span class="dot" aria-hidden="true">
      </span>Normal mode on (shift+tab to toggle)</button>
      <span class="mode-meaning">asks before it deletes or uses the network</span>
      <button type="button" class="pill plan" aria-haspopup="dialog">
      <span class="dot" aria-hidden="true">
      </span>Plan mode on (shift+tab to toggle)</button>
      <span class="mode-meaning">nothing is written until you approve</span>
      <button type="button" class="pill auto" aria-haspopup="dialog">
      <span class="dot" aria-hidden="true">
      </span>Auto mode on (shift+tab to toggle)</button>
      <span class="mode-meaning">asks before the network, and before what no undo restores</span>"
    `);
    await page.context().close();
  });

  test("Shift+Tab cycles the mode and never sends; Escape gives it back to the focus", async () => {
    const page = await open(true);
    await composer(page).fill("a thought");
    await composer(page).press("Shift+Tab");
    await expect.poll(() => pill(page).textContent()).toBe("Plan mode on (shift+tab to toggle)");
    await page.locator(".badge", { hasText: "PLAN" }).waitFor();
    await composer(page).press("Shift+Tab");
    await expect.poll(() => pill(page).textContent()).toContain("Auto");
    await composer(page).press("Shift+Tab");
    await expect.poll(() => pill(page).textContent()).toContain("Normal");
    await expect.poll(() => composer(page).inputValue()).toBe("a thought");
    await composer(page).press("Escape");
    await composer(page).press("Shift+Tab");
    await expect.poll(() => pill(page).textContent()).toContain("Normal");
    await expect
      .poll(() => composer(page).evaluate((element) => element === document.activeElement))
      .toBe(false);
    await page.context().close();
  });

  test("Enter sends, Shift+Enter starts a new line, Tab completes a command", async () => {
    const page = await open(true);
    await composer(page).pressSequentially("/mo");
    await composer(page).press("Tab");
    await composer(page).press("Enter");
    await expect.poll(() => pill(page).textContent()).toContain("Plan mode on");
    await composer(page).pressSequentially("one");
    await composer(page).press("Shift+Enter");
    await composer(page).pressSequentially("two");
    await composer(page).press("Enter");
    await expect
      .poll(() => edge.posts.at(-1))
      .toMatchObject({ mode: "plan", input: { type: "message", text: "one\ntwo" } });
    await page.context().close();
  });
});

describe("on a phone", () => {
  test("the pill looks like this", async () => {
    const page = await open(false);
    expect(await pillInAllModes(page)).toMatchInlineSnapshot(`
      "<button type="button" class="pill normal" aria-haspopup="dialog" aria-label="Normal mode on: asks before it deletes or uses the network. Change mode">
      <span class="dot" aria-hidden="true">
      </span>Normal mode on</button>
      <span class="mode-meaning">asks before it deletes or uses the network</span>
      <button type="button" class="pill plan" aria-haspopup="dialog" aria-label="Plan mode on: nothing is written until you approve. Change mode">
      <span class="dot" aria-hidden="true">
      </span>Plan mode on</button>
      <span class="mode-meaning">nothing is written until you approve</span>
      <button type="button" class="pill auto" aria-haspopup="dialog" aria-label="Auto mode on: asks before the network, and before what no undo restores. Change mode">
      <span class="dot" aria-hidden="true">
      </span>Auto mode on</button>
      <span class="mode-meaning">asks before the network, and before what no undo restores</span>"
    `);
    await page.context().close();
  });

  test("the pill says what plan mode means", async () => {
    const page = await open(false);
    await pickMode(page, "Plan");
    await expect.poll(() => pill(page).textContent()).toBe("Plan mode on");
    await page.getByText("nothing is written until you approve").waitFor();
    await page.context().close();
  });

  test("captions go after the first messages, and a composer at rest is at most 96 px high", async () => {
    const page = await open(false);
    edge.play((body) => answer(body));
    for (let said = 1; said <= 5; said += 1) {
      expect(await page.locator(".mode-meaning").count()).toBe(1);
      await say(page, `Message ${said}`);
      await page.getByText(`Heard: Message ${said}`).waitFor();
      await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
    }
    await page.locator(".mode-meaning").waitFor({ state: "detached" });
    expect((await page.locator("footer.bar").boundingBox())?.height).toBeLessThanOrEqual(96);
    edge.play(planning);
    await page.context().close();
  });

  test("the pill is below the input, at its left edge", async () => {
    const page = await open(false);
    const beside = () =>
      page.locator(".composer").evaluate((composer) => {
        const box = (name: string) => composer.querySelector(name)?.getBoundingClientRect() ?? new DOMRect();
        const [input, below] = [box(".input-box"), box(".pill")];
        return { indent: below.left - input.left, isBelow: below.top >= input.bottom };
      });
    await expect.poll(beside).toEqual({ indent: 0, isBelow: true });
    await page.context().close();
  });

  test("/plan in an empty session asks for a goal without a model, and plans for the answer", async () => {
    const page = await open(false);
    const before = edge.posts.length;
    await say(page, "/plan");
    await page.getByRole("heading", { name: "What should be planned?" }).waitFor();
    expect(edge.posts.length).toBe(before);
    await say(page, "A faster start");
    await page.getByRole("dialog").waitFor();
    await expect
      .poll(() => edge.posts.at(-1))
      .toMatchObject({ mode: "plan", input: { type: "message", text: "A faster start" } });
    await page.context().close();
  });

  test("a single question has no review: it is answered on its page", async () => {
    const page = await open(false);
    edge.play((body) => [...planning(body)].map(firstQuestion));
    await say(page, "/plan A faster start");
    const sheet = page.getByRole("dialog");
    expect(await sheet.getByRole("button", { name: "Answer and run" }).isDisabled()).toBe(true);
    await sheet.getByText("Sliding window").click();
    await sheet.getByRole("button", { name: "Answer", exact: true }).click();
    await expect
      .poll(() => edge.posts.at(-1)?.input)
      .toMatchObject({ answers: [{ id: "window", raw: "1" }] });
    edge.play(planning);
    await page.context().close();
  });

  test("a change of mode withdraws the question of what to plan", async () => {
    const page = await open(false);
    await say(page, "/plan");
    await page.getByRole("heading", { name: "What should be planned?" }).waitFor();
    await pickMode(page, "Auto");
    await page.getByRole("heading", { name: "What should be done?" }).waitFor();
    await expect.poll(() => composer(page).getAttribute("placeholder")).toBe("Say what to do…");
    await page.context().close();
  });

  test("/plan in a session with messages plans again from the current state", async () => {
    const page = await open(false);
    await say(page, "/plan A faster start");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await say(page, "/plan");
    await expect.poll(() => edge.posts.at(-1)?.input).toEqual({ type: "replan" });
    await page.context().close();
  });

  test("text typed while a question is open is its answer, and None accepts text", async () => {
    const page = await open(false);
    await say(page, "/plan A faster start");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Close" }).click();
    await say(page, "2");
    await sheet.getByText("Question 2 of 2").waitFor();
    await sheet.getByText("None of these").click();
    await sheet.getByRole("textbox", { name: "Your answer" }).fill("418, I am a teapot");
    await sheet.getByRole("button", { name: "Next" }).click();
    await sheet.getByText("Fixed minute").waitFor();
    await sheet.getByRole("button", { name: "Answer", exact: true }).click();
    await expect
      .poll(() => edge.posts.at(-1)?.input)
      .toMatchObject({
        type: "answers",
        run: false,
        answers: [
          { id: "window", raw: "2" },
          { id: "status", raw: "418, I am a teapot" },
        ],
      });
    await page.context().close();
  });

  test("what a command opens appears, and closes again", async () => {
    const page = await open(false);
    const { length: before } = edge.posts;
    for (const [command, name] of [
      ["/undo", "Undo to…"],
      ["/model", "Model"],
      ["/export", "Export this session"],
      ["/help", "Commands"],
    ] as const) {
      await say(page, command);
      await page.getByRole("dialog", { name }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    for (const [command, heading] of [
      ["/diff", "Changes"],
      ["/files", "Files"],
    ] as const) {
      await say(page, command);
      await page.getByRole("heading", { name: heading }).waitFor();
      await page.getByRole("button", { name: "Back" }).click();
      await composer(page).waitFor();
    }
    await say(page, "/mode auto");
    await page.locator(".badge", { hasText: "AUTO" }).waitFor();
    await say(page, "/stop");
    await say(page, "/mode fast");
    await page.getByText("/mode takes plan, normal or auto.").waitFor();
    expect(edge.posts.length).toBe(before);
    await page.context().close();
  });

  test("an unknown command is reported, and stays in the composer to be corrected", async () => {
    const page = await open(false);
    await say(page, "/plam it");
    await page.getByText("There is no command /plam.").waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe("/plam it");
    await page.context().close();
  });
});
