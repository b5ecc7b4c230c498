// The parts of the device that the app uses: camera, microphone, badge, screen and home screen. The page has
// stubs for the browser parts that headless Chromium lacks; the app's own code is real.
// @module-tag long
import type { Page } from "playwright-core";
import encodeQR from "qr";
import { expect } from "vitest";
import type { FakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, newTab, openPhone, type Phone, pair, say } from "./phone.ts";
import { everythingKept, keptKeys } from "./phone-storage.ts";
import { answer, planning } from "./scenes.ts";

test.override({ serviceWorker: true });

let edge: FakeEdge;
let phone: Phone;
let page: Page;

test.beforeEach(async ({ edge: served, phone: opened }) => {
  edge = served;
  edge.play(answer);
  phone = opened;
  page = phone.page;
});

/** The calls that the stubs in the page got, in order. */
const calls = (): Promise<string[]> => page.evaluate("window.calls");

async function settings(): Promise<void> {
  await page.goto(`${edge.url}/#/settings`);
  await page.getByText("Import a file").waitFor();
}

test("the code is scanned with the camera inside the app, and a refused camera is reported", async () => {
  const link = `${edge.url}/#pair=${edge.token}`;
  await page.addInitScript(
    (rows) => {
      const allowed = () => sessionStorage.getItem("camera") === "allowed";
      navigator.mediaDevices.getUserMedia = async () => {
        if (!allowed()) throw new DOMException("no", "NotAllowedError");
        // The printed code as a camera sees it: somewhere in a larger picture, and tilted.
        const canvas = document.createElement("canvas");
        canvas.width = 1280;
        canvas.height = 720;
        const context = canvas.getContext("2d");
        if (context === null) throw new Error("no canvas");
        const draw = () => {
          context.setTransform(1, 0, 0, 1, 0, 0);
          context.fillStyle = "#c9b79c";
          context.fillRect(0, 0, canvas.width, canvas.height);
          context.setTransform(7, 1, -1, 7, 500, 150);
          rows.forEach((row, y) => {
            row.forEach((dark, x) => {
              context.fillStyle = dark ? "#222" : "#eee";
              context.fillRect(x, y, 1.1, 1.1);
            });
          });
          requestAnimationFrame(draw);
        };
        draw();
        return canvas.captureStream(30);
      };
    },
    encodeQR(link, "raw"),
  );
  await page.goto(edge.url);
  await page.getByRole("button", { name: "Scan code" }).click();
  await page.getByRole("alert").getByText("The camera was not allowed.").waitFor();
  await page.getByRole("button", { name: "Type it instead" }).click();
  await page.evaluate(() => sessionStorage.setItem("camera", "allowed"));
  await page.getByRole("button", { name: "Scan code" }).click();
  await page.getByText("No sessions yet").waitFor();
});

test("dictated text appears in the composer, to be read before it is sent", async () => {
  await page.addInitScript(() => {
    class SpeechRecognition extends EventTarget {
      start() {
        Object.assign(window, { hear: (...words: string[]) => this.hear(words) });
        this.hear(["run the ", "tests"]);
      }
      hear(words: string[]) {
        const results = words.map((transcript) => [{ transcript }]);
        this.dispatchEvent(Object.assign(new Event("result"), { results }));
      }
      stop() {
        this.dispatchEvent(new Event("end"));
      }
    }
    Object.assign(window, { webkitSpeechRecognition: SpeechRecognition, SpeechRecognition });
  });
  await pair(page, edge);
  await newSession(page);
  await page.getByRole("button", { name: "Speak" }).click();
  await page.getByRole("button", { name: "Speak", pressed: true }).click();
  await expect.poll(() => composer(page).inputValue()).toBe("run the tests");
  expect(edge.posts).toEqual([]);
  await composer(page).fill("");
  await page.getByRole("button", { name: "Speak" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.evaluate('hear("run the ", "tests", " now")');
  await page.getByText("Heard: run the tests").waitFor();
  await page.getByRole("button", { name: "Speak", pressed: false }).waitFor();
  expect(await composer(page).inputValue()).toBe("");
});

test("the icon counts what waits, the screen stays on while a turn runs, and persistent storage is requested", async () => {
  await page.addInitScript(() => {
    const calls: string[] = [];
    const note = (name: string) => async (value?: unknown) => {
      calls.push(value === undefined ? name : `${name} ${value}`);
      return true;
    };
    const request = async () => {
      calls.push("screen on");
      return { released: false, release: note("screen off") };
    };
    Object.assign(window, { calls });
    Object.assign(navigator, { setAppBadge: note("badge"), clearAppBadge: note("no badge") });
    Object.defineProperty(navigator, "wakeLock", { value: { request } });
    navigator.storage.persist = note("persist") as () => Promise<boolean>;
  });
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  edge.play((body) => {
    const [begun, ...rest] = planning(body);
    return [begun ?? passed, passed, ...rest];
  });
  await pair(page, edge);
  await newSession(page);
  await say(page, "/plan Limit each token");
  // The app makes these requests before a turn, and none of them waits for another.
  const asked = async () => (await calls()).sort();
  const before = ["no badge", "persist", "screen on"];
  await expect.poll(asked).toEqual(before);
  open();
  await page.getByRole("dialog").waitFor();
  await expect.poll(asked).toEqual([...before, "badge 1", "screen off"].sort());
});

test("the browser's install prompt is offered once there is something to keep, and a refusal is remembered", async () => {
  const offer = () =>
    page.evaluate(() => {
      const calls: string[] = [];
      const prompt = async () => void calls.push("prompt");
      Object.assign(window, { calls });
      window.dispatchEvent(Object.assign(new Event("beforeinstallprompt", { cancelable: true }), { prompt }));
    });
  await pair(page, edge);
  await offer();
  expect(await page.getByRole("button", { name: "Install" }).count()).toBe(0);
  await newSession(page);
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Install" }).click();
  await expect.poll(calls).toEqual(["prompt"]);
  await page.getByRole("button", { name: "Install" }).waitFor({ state: "detached" });
  await offer();
  await page.getByRole("button", { name: "Not now" }).click();
  await expect.poll(() => everythingKept(page)).toContain('"noInstall":true');
  await page.reload();
  await page.locator(".session-line").waitFor();
  await offer();
  expect(await page.getByText("On the home screen").count()).toBe(0);
});

test("an iPhone, which has no install prompt, gets short instructions", async ({ browser }) => {
  const agent =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1";
  const iphone = await openPhone(browser, { userAgent: agent, serviceWorker: true });
  await pair(iphone.page, edge);
  await newSession(iphone.page);
  await iphone.page.getByRole("button", { name: "Back" }).click();
  await iphone.page.getByText("tap Share, then Add to Home Screen").waitFor();
  await iphone.context.close();
});

test("what the manifest declares exists: icons, shortcuts, and a share target", async () => {
  await pair(page, edge);
  const href = await page.locator('link[rel="manifest"]').getAttribute("href");
  const manifest = await (await page.request.get(`${edge.url}${href}`)).json();
  for (const { src } of manifest.icons)
    expect((await page.request.get(`${edge.url}${src}`)).status()).toBe(200);
  expect(manifest.icons.map((icon: { purpose?: string }) => icon.purpose)).toContain("maskable");
  const [begin, prefer] = manifest.shortcuts.map((shortcut: { url: string }) => shortcut.url);
  await page.goto(`${edge.url}${begin}`);
  await page.getByRole("heading", { name: "New session" }).waitFor();
  await page.goto(`${edge.url}${prefer}`);
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  const { action, params } = manifest.share_target;
  await page.goto(`${edge.url}${action}?${params.text}=github.com%2Facme%2Fgateway`);
  await page.getByText("This is the address of a repository: it is filled in below.").waitFor();
  await expect
    .poll(() => page.getByLabel("Address for git").inputValue())
    .toBe("https://github.com/acme/gateway");
});

test("malformed calls are counted by provider and model, with their kinds", async () => {
  const diagnostic = (kind: string, repaired: boolean) =>
    ({ event: "diagnostic", data: { provider: "default", model: "demo", kind, repaired } }) as const;
  edge.play((body) =>
    answer(body, diagnostic("fence", true), diagnostic("arguments", false), diagnostic("fence", true)),
  );
  await pair(page, edge);
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Heard: Hello").waitFor();
  await settings();
  await page.getByText("default/demo: 2 repaired, 1 sent back").waitFor();
  await expect
    .poll(() => page.locator(".counts li").allTextContents())
    .toEqual(["2 × arguments inside a code block", "1 × arguments that are not JSON"]);
});

test("signing out leaves nothing on the device, in any tab", async () => {
  await pair(page, edge);
  await newSession(page);
  await say(page, "Secret words");
  await page.getByText("Heard: Secret words").waitFor();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const second = await newTab(phone.context, phone.errors);
  await second.goto(page.url());
  await second.getByText("Heard: Secret words").waitFor();
  await page.evaluate(async () => {
    localStorage.setItem("draft/left", "{}");
    await caches.open("of an older version");
  });
  await settings();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Delete everything here: tap again" }).click();
  for (const tab of [page, second]) await tab.getByRole("heading", { name: "Pair this device" }).waitFor();
  const kept = await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    old: (await caches.keys()).includes("of an older version"),
  }));
  expect(kept).toEqual({ local: [], old: false });
  expect(await keptKeys(page)).toEqual([]);
});
