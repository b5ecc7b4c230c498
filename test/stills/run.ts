// `npm run stills`: makes docs/images/session.webp, the twenty-second animation in README.md, from the real
// app while the recorded session (test/fixtures/recorded) is played. `HANDRAIL_STILLS=FOLDER` also saves each
// picture there.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { answered, typed, withCalls } from "../contract/turns/recorded-session.ts";
import { composer, launchBrowser, newSession, openPhone, pair, pickMode } from "../e2e/phone.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { startModelServer } from "../fakes/model-server.ts";
import { startProduct } from "../harness/product.ts";
import { makeRecordedRepository, recordedTools } from "../harness/recorded-repository.ts";
import { animatedWebp, type Frame } from "./animated-webp.ts";

const target = fileURLToPath(new URL("../../docs/images/session.webp", import.meta.url));
const size = { width: 390, height: 844 };

/** Pictures of a page, in the order in which they are taken. */
class Film {
  readonly frames: Frame[] = [];
  readonly #page: Page;
  /** Encodes the pictures in another page, because Chromium's canvas can write WebP. */
  readonly #studio: Page;

  constructor(page: Page, studio: Page) {
    this.#page = page;
    this.#studio = studio;
  }

  async take(ms: number): Promise<void> {
    const png = await this.#page.screenshot({ animations: "disabled" });
    if (process.env.HANDRAIL_STILLS)
      writeFileSync(join(process.env.HANDRAIL_STILLS, `${this.frames.length}.png`), png);
    const coded = await this.#studio.evaluate(
      async (url) => {
        const picture = await createImageBitmap(await (await fetch(url)).blob());
        const canvas = document.createElement("canvas");
        canvas.width = picture.width;
        canvas.height = picture.height;
        canvas.getContext("2d")?.drawImage(picture, 0, 0);
        return canvas.toDataURL("image/webp", 0.7);
      },
      `data:image/png;base64,${png.toString("base64")}`,
    );
    this.frames.push({ webp: Buffer.from(coded.split(",")[1] ?? "", "base64"), ms });
  }
}

/**
 * Leaves out the commands that the model ran before its plan, which looked at a repository with all its
 * packages.
 */
const looking = (from: number, to: number) =>
  withCalls(answered(from, to), ({ name }) => name !== "run_command");

/** Each answer waits until `next` is called for it. */
function steppedModel(replies: readonly ModelReply[]): { next(): void; all(): void } {
  const waiting: (() => void)[] = [];
  let open = 0;
  let asked = 0;
  model.play(async () => {
    const reply = replies[asked] ?? { text: "Nothing more." };
    asked += 1;
    if (open > 0) open -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return reply;
  });
  const next = () => {
    const go = waiting.shift();
    if (go) go();
    else open += 1;
  };
  return {
    next,
    all: () => {
      for (let left = 0; left < replies.length + 5; left += 1) next();
    },
  };
}

/** The scenes, each with the time for which it is shown, in milliseconds. */
async function play(film: Film, page: Page): Promise<void> {
  await newSession(page);
  await page.getByRole("button", { name: "Stay there" }).click();
  await pickMode(page, "Plan");
  await composer(page).fill(typed(0));
  await film.take(2_000);

  const plan = steppedModel(looking(1, 5));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  plan.next();
  await page.getByRole("button", { name: "Not now" }).click();
  plan.next();
  await model.request(3);
  await page.waitForTimeout(1_000);
  await film.take(1_500);
  plan.all();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Configured limit").click();
  await film.take(2_500);

  const approve = page.getByRole("button", { name: "Approve and run" });
  model.play([...looking(6, 7), { text: "Nothing more." }]);
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await approve.waitFor();
  await film.take(2_500);
  await composer(page).fill(typed(8));
  await film.take(2_000);
  model.play([...looking(9, 10), { text: "Nothing more." }]);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("error.limit").first().waitFor();
  await approve.waitFor();
  await film.take(2_500);

  const work = steppedModel([...answered(12, 15), ...answered(18, 19)]);
  await approve.click();
  work.next();
  await page.locator(".is-checking").first().waitFor();
  await film.take(2_000);
  work.all();
  await page.locator(".is-running", { hasText: "npx ava" }).first().waitFor();
  await film.take(2_000);
  await page.getByRole("button", { name: "Go on" }).waitFor();
  await page
    .getByText(/^Change[ds]/)
    .last()
    .click();
  await page.getByText("TimeoutError.ts").last().waitFor();
  await page.waitForTimeout(1_000);
  await film.take(3_000);
}

const root = realpathSync(mkdtempSync(join(tmpdir(), "handrail-stills-")));
const folder = join(root, "ky");
makeRecordedRepository(folder);
const model = await startModelServer([{ text: "Nothing." }]);
const product = await startProduct({
  env: {
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: "test-key",
    HANDRAIL_MODEL: "scripted",
    HANDRAIL_WORKSPACE: folder,
    HANDRAIL_TOOLS: recordedTools,
  },
});
const browser = await launchBrowser();
try {
  const { page } = await openPhone(browser, { serviceWorker: true });
  const film = new Film(page, await browser.newPage());
  await pair(page, product);
  await play(film, page).catch(async (error: unknown) => {
    await page.screenshot({ path: join(tmpdir(), "handrail-still.png") });
    throw error;
  });
  const webp = animatedWebp(film.frames, size.width, size.height);
  writeFileSync(target, webp);
  const seconds = film.frames.reduce((sum, { ms }) => sum + ms, 0) / 1_000;
  console.log(
    `${target}: ${film.frames.length} pictures, ${seconds} s, ${Math.ceil(webp.length / 1_000)} KB`,
  );
} finally {
  await browser.close();
  await product.close();
  await model.close();
  rmSync(root, { recursive: true, force: true });
}
