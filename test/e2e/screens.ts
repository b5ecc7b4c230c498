// Visits every screen and state of the app, for tests of looks and accessibility.
import type { Page } from "playwright-core";
import type { FakeEdge } from "./fake-edge.ts";
import { composer, newSession, pair, say } from "./phone.ts";
import { answering, executing, planning, wholeDiff } from "./scenes.ts";
import { asking, failing, mayHaveRun, writing } from "./scenes-that-wait.ts";

type Visit = (screen: string) => Promise<void>;

/** Calls `visit` on each screen, in the order of a day. It also plays the edge. */
export async function visitScreens(page: Page, edge: FakeEdge, visit: Visit): Promise<void> {
  const hold = { end: () => {} };
  edge.diff(wholeDiff);
  edge.play((body) => {
    if (body.input.type === "answers") return answering(body);
    const held = new Promise<void>((resolve) => (hold.end = resolve));
    if (body.input.type === "approve") return executing(body, held);
    const text = body.input.type === "message" ? body.input.text : "";
    if (text.startsWith("Push")) return asking(body);
    if (text.startsWith("Upgrade")) return mayHaveRun(body);
    if (text.startsWith("Move")) return failing(body);
    return text.startsWith("Explain") ? writing(body, held) : planning(body);
  });
  await begin(page, edge, visit);
  await decide(page, visit);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByText("limits after 100 requests").waitFor();
  await say(page, "Then write a note");
  await page.getByText("1 message waiting").waitFor();
  await visit("running, with a message in the queue");
  await page.getByText("1 message waiting").click();
  await page.getByRole("button", { name: "Remove" }).click();
  hold.end();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  await finished(page, visit);
  await changesAndFiles(page, visit);
  await waiting(page, edge, visit);
  hold.end();
  await lists(page, edge, visit);
}

const sheetOf = (page: Page) => page.getByRole("dialog");

async function close(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await sheetOf(page).waitFor({ state: "detached" });
}

async function begin(page: Page, edge: FakeEdge, visit: Visit): Promise<void> {
  await page.goto(edge.url);
  await page.getByText("Pair this device").waitFor();
  await visit("pairing");
  await pair(page, edge);
  await visit("no sessions");
  await page.goto(`${edge.url}/#/new`);
  await page.getByLabel("Address for git").fill("https://github.com/acme/gateway");
  await page.getByRole("button", { name: /begins in normal mode/ }).click();
  await visit("new session");
  await page.goto(`${edge.url}/#/`);
  await newSession(page);
  await visit("empty session");
  await composer(page).fill("/");
  await visit("slash commands");
  await say(page, "/plan Limit each API token");
}

async function decide(page: Page, visit: Visit): Promise<void> {
  const sheet = sheetOf(page);
  await sheet.getByText("Sliding window").click();
  await visit("question");
  await sheet.getByRole("button", { name: "Next" }).click();
  await sheet.getByText("None of these").click();
  await sheet.getByRole("textbox", { name: "Your answer" }).fill("418 please");
  await visit("own answer");
  await sheet.getByRole("button", { name: "Next" }).click();
  await visit("review of the answers");
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
  await visit("proposal");
  for (const name of ["Reject", "Edit", "Other ways to approve", "Whole plan"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await sheet.waitFor();
    if (name === "Whole plan") await sheet.getByRole("button", { name: "Comment on step 1" }).click();
    await visit(name);
    await close(page);
  }
  await page.locator(".pill").click();
  await sheet.getByRole("button", { name: /^Normal/ }).waitFor();
  await visit("mode");
  await sheet.getByRole("button", { name: /^Normal/ }).click();
  await sheet.getByText("Just switch").waitFor();
  await visit("leaving plan mode");
  await close(page);
}

async function finished(page: Page, visit: Visit): Promise<void> {
  const sheet = sheetOf(page);
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  await page.getByRole("button", { name: "More about this message" }).first().click();
  await page
    .getByLabel("Attach files")
    .setInputFiles([{ name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("x") }]);
  await page.getByRole("button", { name: "Remove notes.md" }).waitFor();
  await visit("done, with a file attached");
  await page.getByRole("button", { name: "Remove notes.md" }).click();
  await page.getByRole("button", { name: /^Progress/ }).click();
  await sheet.waitFor();
  await visit("places");
  await close(page);
  for (const [command, heading] of [
    ["/help", "Commands"],
    ["/undo", "Undo to…"],
    ["/model", "Model"],
    ["/export", "Export this session"],
  ] as const) {
    await say(page, command);
    await sheet.getByRole("heading", { name: heading }).waitFor();
    await visit(command);
    if (command === "/undo") {
      await sheet.getByText("Before step 2").click();
      await sheet.getByText("2 files go back").waitFor();
      await visit("undo, to be confirmed");
    }
    await close(page);
  }
  await page.getByRole("button", { name: "More about this session" }).click();
  await sheet.waitFor();
  await visit("menu");
  await sheet.getByText("Duplicate…").click();
  await sheet.getByText("Up to which message?").waitFor();
  await visit("duplicate");
  await close(page);
}

async function changesAndFiles(page: Page, visit: Visit): Promise<void> {
  const sheet = sheetOf(page);
  const session = page.url();
  await page.goto(`${session}/changes`);
  await page.locator(".diff-line.added").first().click();
  await page.getByRole("textbox", { name: /^Comment on line/ }).fill("Say why");
  await visit("changes, with a comment");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("button", { name: "Commit", exact: true }).click();
  await sheet.waitFor();
  await visit("commit");
  await close(page);
  await page.goto(`${session}/files`);
  await page.getByRole("button", { name: /^README/ }).waitFor();
  await visit("files");
  await page.getByRole("button", { name: /^README/ }).click();
  await page.locator(".code-lines").waitFor();
  await visit("a file");
}

async function waiting(page: Page, edge: FakeEdge, visit: Visit): Promise<void> {
  for (const [text, button] of [
    ["Push it", "Allow once"],
    ["Upgrade sharp", "Mark as done"],
    ["Move the tests", "Retry"],
    ["Explain this project", "Stop"],
  ] as const) {
    await page.goto(`${edge.url}/#/`);
    await newSession(page);
    await say(page, text);
    const decide = page.getByRole("button", { name: button, exact: true });
    // With large text the command does not fit, and the person must see all of it before allowing it.
    const rest = page.getByRole("button", { name: "Show the rest", exact: true });
    await decide.or(rest).waitFor();
    // Until the page has measured it, even a command that fits counts as not fully seen.
    if (await rest.isVisible()) await Promise.any([rest.click(), decide.waitFor()]);
    await decide.waitFor();
    if (button === "Stop") await page.locator(".said.live table").waitFor();
    await visit(text);
    if (button !== "Mark as done") continue;
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await sheetOf(page).locator(".file").first().waitFor();
    await visit("did it run?");
    await close(page);
  }
}

async function lists(page: Page, edge: FakeEdge, visit: Visit): Promise<void> {
  await page.goto(`${edge.url}/#/`);
  await page.locator(".session-line").nth(4).waitFor();
  await visit("sessions");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("token");
  await page.locator(".found mark").first().waitFor();
  await visit("search");
  await page.goto(`${edge.url}/#/settings`);
  await page.getByRole("heading", { name: "Sandbox" }).waitFor();
  await page.getByText("Pair with another token").click();
  await visit("settings");
  await page.goto(`${edge.url}/?share-title=Bug&share-text=The%20login%20fails`);
  await page.getByRole("heading", { name: "Shared with Handrail" }).waitFor();
  await visit("shared text");
  await page.goto(`${edge.url}/#/s/nothing`);
  await page.getByRole("heading", { name: "No such session" }).waitFor();
  await visit("no such session");
}
