import { chromium } from "playwright-core";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
const server = createServer((q, r) => { const f = q.url === "/sw.js" ? "sw.js" : "index.html"; r.writeHead(200, { "content-type": f.endsWith("js") ? "text/javascript" : "text/html" }).end(readFileSync("/tmp/hist-sw/" + f)); });
await new Promise<void>((d) => server.listen(0, "127.0.0.1", () => d()));
const origin = `http://127.0.0.1:${(server.address() as any).port}`;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const context = await browser.newContext(); await context.grantPermissions(["notifications"], { origin });
const page = await context.newPage(); await page.goto(origin);
await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
const out = await worker.evaluate(async () => {
  const reg = (globalThis as any).registration; let lost = 0, lostAfter = 0; const n = 150;
  for (let i = 0; i < n; i++) {
    const shown = reg.showNotification("t", { tag: "tag" + i, body: String(i) });
    let over = false; shown.then(() => { over = true; });
    await shown;
    const now = await reg.getNotifications({ tag: "tag" + i });
    if (now.length === 0) lost++;
    await new Promise((d) => setTimeout(d, 50));
    const later = await reg.getNotifications({ tag: "tag" + i });
    if (later.length === 0) lostAfter++;
    for (const one of later) one.close();
  }
  return { n, lost, lostAfter };
});
console.log(JSON.stringify(out));
await browser.close(); server.close();
