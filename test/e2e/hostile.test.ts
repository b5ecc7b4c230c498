// A model and a repository try to harm the person who looks at the screen: their texts are shown as text, and
// nothing else happens.
// @module-tag long
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect } from "vitest";
import { test as plain } from "./fixture.ts";
import { say } from "./phone.ts";

/** A paired phone in a new session. The test fails if the page makes requests to any other server. */
const test = plain.extend("watched", async ({ session: page, product }, { onCleanup }) => {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(product.url) && !/^(data|blob):/.test(request.url()))
      foreign.push(request.url());
  });
  onCleanup(() => expect(foreign).toEqual([]));
  return page;
});

const harmful = [
  "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'><svg onload='window.harmed = 3'>",
  "![pixel](https://evil.example/pixel.png?leak=1) and <img src=https://evil.example/pixel.png>",
  "[press here](javascript:window.harmed=4) [or here](data:text/html,<script>window.harmed=5</script>) [or](vbscript:x)",
  "[style](https://evil.example/a.css) <link rel=stylesheet href=https://evil.example/a.css><iframe src=https://evil.example></iframe>",
  "```html\n<script>window.harmed = 6</script>\n```",
  "`</code><script>window.harmed = 7</script>`",
  "| a | b |\n|---|---|\n| <script>window.harmed = 8</script> | [x](JaVaScRiPt:window.harmed=9) |",
].join("\n\n");

describe("a hostile model", () => {
  test("its scripts do not run, its images are not fetched, its links lead to the web or nowhere", async ({
    model,
    watched: page,
  }) => {
    model.play([{ text: `${harmful}\n\nThe end.`, reasoning: harmful }]);
    await say(page, "Explain");
    const said = page.locator(".said").last();
    await said.getByText("The end.").waitFor();
    for (const text of ["<script>window.harmed = 1</script>", "window.harmed = 6", "press here"])
      expect(await said.textContent()).toContain(text);
    const links = await page.locator("a[href]").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    expect(links.filter((href) => !/^(https?:\/\/|mailto:|#|\/)/.test(href ?? ""))).toEqual([]);
    for (const link of await said.locator("a").all()) {
      expect(await link.getAttribute("rel")).toContain("noopener");
      expect(await link.getAttribute("target")).toBe("_blank");
    }
    expect(await page.locator("img, iframe, object, embed, link[href*=evil]").count()).toBe(0);
    expect(await page.evaluate(() => Reflect.get(window, "harmed"))).toBeUndefined();
  });

  test("a command that looks different from what it runs is shown as it runs", async ({
    model,
    watched: page,
  }) => {
    const command = "rm -rf build \u202e# txt.eton ylno \u2066ecno\u2069";
    model.play([{ calls: [{ name: "run_command", args: { command } }] }, { text: "Done." }]);
    await say(page, "Clean up");
    const card = page.locator(".card.permission");
    await card.getByText("rm -rf build ⟨U+202E⟩# txt.eton ylno ⟨U+2066⟩ecno⟨U+2069⟩").waitFor();
    expect(await page.locator("body").textContent()).not.toContain("\u202e");
    await page.getByRole("button", { name: "Deny…" }).click();
    await page.getByRole("button", { name: "Deny without a reason" }).click();
  });

  test("terminal escapes in output change nothing on the screen", async ({ model, watched: page }) => {
    const command =
      "printf '\\033]0;title\\007\\033[2J\\033[31mred\\033[0m plain \\342\\200\\256desrever\\n'";
    model.play([{ calls: [{ name: "run_command", args: { command } }] }, { text: "Done." }]);
    const title = await page.title();
    await say(page, "Print");
    await page.getByText("Done.").waitFor();
    await page.locator(".card.call .card-line").click();
    await page.locator(".card.call .detail").getByText("red plain ⟨U+202E⟩desrever").waitFor();
    expect(await page.title()).toBe(title);
  });
});

describe("a hostile repository", () => {
  test("a page in it is data: it is not rendered, and its script does not run in our origin", async ({
    model,
    product,
    watched: page,
  }) => {
    const content = "<script>document.title='harmed'</script><h1>Sign in again</h1>";
    model.play([
      { calls: [{ name: "write_file", args: { path: "login.html", content, base: null } }] },
      { text: "Wrote it." },
    ]);
    await say(page, "Write a page");
    await page.getByText("Wrote it.").waitFor();
    const sandboxId = await page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open("handrail");
        request.onsuccess = () => resolve(request.result);
      });
      const all = database.transaction("kv").objectStore("kv").getAll();
      await new Promise((resolve) => {
        all.onsuccess = resolve;
      });
      return /"sandboxId":"([^"]+)"/.exec(JSON.stringify(all.result))?.[1];
    });
    const answer = await fetch(`${product.url}/api/sandboxes/${sandboxId}/file?path=login.html`, {
      headers: { authorization: `Bearer ${product.token}` },
    });
    expect(await answer.text()).toBe(content);
    expect(answer.headers.get("content-type")).not.toMatch(/html/);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("a hostile page", () => {
  test("it cannot call the API, embed the app, or read what it answers", async ({ browser, product }) => {
    const hostile = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<iframe src="${product.url}"></iframe><script>
        const framed = new Promise((resolve) => { document.querySelector("iframe").onload = resolve; });
        const tries = [
          fetch("${product.url}/api/health"),
          fetch("${product.url}/api/config", { headers: { authorization: "Bearer ${product.token}" } }),
          fetch("${product.url}/api/turn", { method: "POST", body: "{}", mode: "no-cors" }).then((r) => r.type === "opaque" && r.text().then((t) => { if (t) return t; throw 0; })),
        ];
        Promise.all([Promise.allSettled(tries), framed]).then(([all]) => { document.title = all.map((one) => one.status).join(); });
      </script>`);
    });
    await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
    const { port } = hostile.address() as AddressInfo;
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(`http://localhost:${port}/`);
    await other.waitForFunction(() => document.title !== "");
    expect(await other.title()).toBe("rejected,rejected,rejected");
    const frame = other.frames().find((one) => one !== other.mainFrame());
    expect((await frame?.content()) ?? "").not.toContain("Handrail");
    await context.close();
    hostile.close();
  });
});
