// Texts with hidden characters, in every place where a person only reads: calls, output, names of files and
// sessions, links.
// @module-tag long
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import type { FakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { blanks, nothingHides, odd, pictures, played, shown } from "./hidden-text.ts";
import { newSession, pair, say } from "./phone.ts";
import { assistant, call, result } from "./scene-messages.ts";

let edge: FakeEdge;
let page: Page;

test.beforeEach(async ({ edge: served, page: opened }) => {
  edge = served;
  page = opened;
  await pair(page, edge);
  await newSession(page);
});

describe("what a person reads is shown completely", () => {
  test("calls, their output, notes, titles, the list, and files with misleading names", async () => {
    const run = call("run", "run_command", { command: `${odd("ls")}\nrm x\nrm y` });
    const path = `invoice\u202egnp.exe\t\n ${blanks}`;
    const name = `invoice⟨U+202E⟩gnp.exe⟨U+0009⟩⟨U+000A⟩ ${""}`.trimEnd();
    const edit = call("edit", "write_file", { path, content: "x", base: null });
    edge.diff(
      "diff --git a/a\u202eb.ts b/a\u202eb.ts\n--- a/a\u202eb.ts\n+++ b/a\u202eb.ts\n@@ -1 +1 @@\n-a\n+b\u200bc\n",
    );
    edge.play(
      played(
        assistant("normal", odd("Look"), [run, edit]),
        result("normal", run, odd("out"), { exitCode: 0, ms: 10 }),
        result("normal", edit, "ok", { files: [{ path, added: 1, removed: 0 }] }),
        assistant("normal", odd("Said")),
        { event: "turn.done", data: { reason: "stop", rounds: 1 } },
      ),
    );
    await say(page, odd("Title"));
    const rows = page.locator(".rows");
    await rows.getByText("Said").waitFor();
    const calls = rows.locator(".card.call .card-line");
    expect(await calls.first().textContent()).toContain(`${shown("ls")} … 2 more lines`);
    expect(await calls.last().textContent()).toContain(name);
    await calls.first().click();
    await expect.poll(() => rows.locator(".detail").textContent()).toContain(shown("out"));
    await nothingHides(page);
    await pictures(page, "transcript");
    await page.evaluate(() => {
      location.hash = `${location.hash}/changes`;
    });
    await page.getByRole("heading", { name: "a⟨U+202E⟩b.ts" }).waitFor();
    await page.getByText("b⟨U+200B⟩c").waitFor();
    await nothingHides(page);
    await pictures(page, "changes");
    await page.evaluate(() => {
      location.hash = "#/";
    });
    await page.locator(".session-title").getByText("Title ⟨U+202E⟩").waitFor();
    await nothingHides(page);
    await pictures(page, "sessions");
  });

  test("emoji and scripts that need joiners stay as people write them", async () => {
    const text = "A family 👨‍👩‍👧‍👦, ❤️ and می‌شود";
    edge.play(played(assistant("normal", text), { event: "turn.done", data: { reason: "stop", rounds: 1 } }));
    await say(page, "Family 👨‍👩‍👧‍👦");
    await page.getByText(text).waitFor();
    expect(await page.locator("h1").textContent()).toBe("Family 👨‍👩‍👧‍👦");
  });

  test("links say where they lead", async () => {
    const text = [
      "[github.com](https://evil.example/login)",
      "https://github.com@evil.example/x",
      "[Apple](https://аpple.com/)",
      "[help](mailto:eve@evil.example)",
      "https://example.com/plain",
    ].join("\n\n");
    edge.play(played(assistant("normal", text), { event: "turn.done", data: { reason: "stop", rounds: 1 } }));
    await say(page, "Links");
    const links = page.locator(".said a");
    await links.last().waitFor();
    expect(await links.allTextContents()).toEqual([
      "github.com (evil.example)",
      "https://github.com@evil.example/x (evil.example)",
      "Apple (xn--pple-43d.com)",
      "help (eve@evil.example)",
      "https://example.com/plain",
    ]);
    for (const link of await links.all()) expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await pictures(page, "links");
  });
});
