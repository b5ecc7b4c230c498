// Deceptive links: on every surface, the host that a tap would open is visible beside the link.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { FakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { played } from "./hidden-text.ts";
import { newSession, pair, say } from "./phone.ts";
import { assistant, message } from "./scene-messages.ts";

let edge: FakeEdge;
let page: Page;

test.beforeEach(async ({ edge: served, page: opened }) => {
  edge = served;
  page = opened;
  await pair(page, edge);
  await newSession(page);
});

const long = "words that fill the screen ".repeat(40);
/** Links to an attacker's hosts, each with its host as the browser parses it. */
const links: readonly (readonly [markdown: string, host: string])[] = [
  ["[https://github.com](https://evil.example/a)", "evil.example"],
  ["[github.com/login](<https://github.com@evil.example/b>)", "evil.example"],
  ["https://github.com:443@evil.example/c", "evil.example"],
  ["<https://github.com%2f@evil.example/d>", "evil.example"],
  ["[x](https://evil.example\\\\@github.com/e)", "evil.example"],
  ["[x](<https://evil.exa\tmple/f>)", "evil.example"],
  ["[x](https://%65vil.example/g)", "evil.example"],
  ["[x](https://ⓔvil.example/h)", "evil.example"],
  ["https://gіthub.com/i", "xn--gthub-n2e.com"],
  ["[https://github.com/\u202e](https://evil.example/j)", "evil.example"],
  ["[\u05d0\u05d1\u05d2](https://evil.example/\u05d0\u05d1/moc.buhtig)", "evil.example"],
  ["[**bold** `code` https://github.com](https://evil.example/k)", "evil.example"],
  ["[support@github.com](mailto:support@github.com?bcc=eve@evil.example)", "eve@evil.example"],
  ["[support@github.com](mailto:support@github.com?%74o=eve@evil.example)", "eve@evil.example"],
  ["[a][ref]", "evil.example"],
  [`[${long}](https://evil.example/l)`, "evil.example"],
];
const tall = `[press${"\\\n.".repeat(60)}](https://evil.example/m)`;
const inTable = `| [${long}](https://evil.example/n) | b |\n|---|---|\n| [${long}](https://evil.example/o) | c |`;
const nowhere = [
  "[x](javascript:alert)",
  "[x](JaVa\tScript:alert)",
  "[x](data:text/html,x)",
  "[x](//evil.example)",
  "[x](https:evil.example)",
  "[x](https:/\\evil.example)",
  "[x](\u00a0https://evil.example)",
  "[x](blob:https://evil.example/x)",
  "[x](#pair=x)",
  "[x](/#pair=x)",
  "[x](intent://evil.example#Intent;scheme=https;end)",
  "[x](file:///etc/passwd)",
];

/** For each link, the host by the browser's own parsing, and whether that host is visible beside it. */
function shownHosts(within: string): Promise<string[]> {
  return page.evaluate((selector) => {
    const inSight = (element: Element) => {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) return false;
      let scrolls = false;
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        const edges = around.getBoundingClientRect();
        const { overflowX, overflowY, display } = getComputedStyle(around);
        if (display === "inline" || around.tagName === "BODY") continue;
        if (overflowX !== "visible" && (box.right > edges.right + 1 || box.left < edges.left - 1))
          return false;
        scrolls ||= /auto|scroll/.test(overflowY);
        const cut = box.bottom > edges.bottom + 1 || box.top < edges.top - 1;
        if (!scrolls && overflowY === "hidden" && cut) return false;
      }
      return true;
    };
    return [...document.querySelectorAll<HTMLAnchorElement>(`${selector} a[target]`)].flatMap((link) => {
      const { protocol, host, href } = new URL(link.href);
      const leads =
        protocol === "mailto:" ? (/[?&](?:to|bcc)=([^&]*)/.exec(decodeURIComponent(href))?.[1] ?? "") : host;
      const top = link.getClientRects()[0]?.top ?? 0;
      const told = [...link.querySelectorAll("code")].some(
        (code) =>
          (code.textContent ?? "").split(", ").includes(leads) &&
          inSight(code) &&
          Math.abs(code.getBoundingClientRect().top - top) < 400,
      );
      return told || (link.textContent ?? "") === href
        ? []
        : [`${href} as ${(link.textContent ?? "").slice(0, 80)}`];
    });
  }, within);
}

test("in an answer the host is shown beside the link text, whatever the text is", async () => {
  const text = [
    ...links.map(([markdown]) => markdown),
    tall,
    inTable,
    ...nowhere,
    "[ref]: https://evil.example/ref",
    "The end.",
  ];
  edge.play(
    played(assistant("normal", text.join("\n\n")), {
      event: "turn.done",
      data: { reason: "stop", rounds: 1 },
    }),
  );
  await say(page, "Explain");
  await page.getByText("The end.").waitFor();
  const said = page.locator(".said").last();
  expect(await said.locator("a").count()).toBe(links.length + 3);
  const told = await said
    .locator("a")
    .evaluateAll((all) =>
      all.map((link) =>
        [...link.querySelectorAll("code")].flatMap((code) => code.textContent?.split(", ") ?? []),
      ),
    );
  expect(links.filter(([, host], at) => !told[at]?.includes(host))).toEqual([]);
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    expect(await shownHosts(".said")).toEqual([]);
  }
});

test("a two-line preview has no links, and a plan's sheet shows the host of each", async () => {
  const words = `[${long}](https://evil.example/p) and [Review](https://evil.example/q)`;
  const plan: Plan = {
    ...{ version: 1, supersedes: null, source: "model", hash: "f".repeat(64), status: "proposed", round: 0 },
    ...{ markdown: words, goal: words, decisionPoints: [], checkpoints: [words], rollback: [words] },
    ...{ decisions: [], deltas: [] },
    steps: [
      {
        ...{
          id: "s1",
          description: words,
          actions: [words],
          preconditions: [words],
          postconditions: [words],
        },
        ...{ checkpoint: null, onFail: "ask", status: "pending" },
      },
    ],
  };
  edge.play(
    played(
      message("plan", { content: "", mode: "plan", extra: { plan } }),
      { event: "plan", data: { plan } },
      { event: "proposal", data: { planVersion: 1, planHash: plan.hash } },
      { event: "turn.done", data: { reason: "proposed", rounds: 1 } },
    ),
  );
  await say(page, "/plan x");
  const card = page.locator(".card.plan");
  await card.getByText("Whole plan").waitFor();
  expect(await card.locator("a").count()).toBe(0);
  await card.getByRole("button", { name: "Whole plan" }).click();
  await page.getByRole("dialog").locator("a").first().waitFor();
  expect(await shownHosts("dialog")).toEqual([]);
});

test("the address of a repository that was shared says which host it is cloned from", async () => {
  const share = (address: string) => page.goto(`${edge.url}/?share-text=${encodeURIComponent(address)}`);
  const field = page.getByLabel("Address for git");
  for (const [address, host] of [
    ["https://gіthub.com/acme/app", "xn--gthub-n2e.com"],
    ["https://github.com@evil.example/acme/app", "evil.example"],
  ] as const) {
    await share(address);
    await page.getByText(`It is cloned from ${host}.`).waitFor();
  }
  await share("https://evil.example/acme/app\u200b\u202e");
  await expect.poll(() => field.inputValue()).toBe("https://evil.example/acme/app⟨U+200B⟩⟨U+202E⟩");
  await share("https://github.com/acme/app");
  await expect.poll(() => field.inputValue()).toBe("https://github.com/acme/app");
  expect(await page.getByText("It is cloned from").count()).toBe(0);
});
