// The tunnel programs are stand-ins that print what the real ones print: tailscale by its users' documents
// and issues (1.58 and later), cloudflared by cloudflare/cloudflared#555, #946 and #1545 of decolua/9router.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTunnel } from "../../../scripts/launch/tunnel.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handrail-tunnel-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A program that prints `text` to `stream`, records its arguments, and then waits to be interrupted, or exits
 * with `code`.
 */
function standIn(name: string, text: string, stream: 1 | 2, code?: number): void {
  const after =
    code === undefined
      ? `process.on("SIGINT", () => { fs.appendFileSync(${JSON.stringify(join(folder, "asked"))}, " interrupted"); process.exit(0); }); setInterval(() => {}, 1000);`
      : `process.exitCode = ${code};`;
  const script = `#!${process.execPath}
const fs = require("node:fs");
fs.writeFileSync(${JSON.stringify(join(folder, "asked"))}, process.argv.slice(2).join(" "));
${code === undefined ? after : ""}
fs.writeSync(${stream}, ${JSON.stringify(text)});
${code === undefined ? "" : after}`;
  writeFileSync(join(folder, name), script, { mode: 0o755 });
}
const env = () => ({ PATH: folder });
const asked = () => readFileSync(join(folder, "asked"), "utf8");

const served = `Available within your tailnet:

https://laptop.tail1234.ts.net/
|-- proxy http://127.0.0.1:8787

Press Ctrl+C to exit.
`;
const quick = `2023-04-18T14:06:46Z INF Thank you for trying Cloudflare Tunnel. Doing so, without a Cloudflare account, is a quick way to experiment and try it out. However, be aware that these account-less Tunnels have no uptime guarantee. If you intend to use Tunnels in production you should use a pre-created named tunnel by following: https://developers.cloudflare.com/cloudflare-one/connections/connect-apps
2023-04-18T14:06:46Z INF Requesting new quick Tunnel on trycloudflare.com...
2023-04-18T14:06:49Z INF +--------------------------------------------------------------------------------------------+
2023-04-18T14:06:49Z INF |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |
2023-04-18T14:06:49Z INF |  https://buffalo-marco-cardiff-motel.trycloudflare.com                                     |
2023-04-18T14:06:49Z INF +--------------------------------------------------------------------------------------------+
`;

describe("a tunnel program is started for the app's port, and its URL is read from its output", () => {
  test("tailscale, which is interrupted at the end, so that it removes its entry", async () => {
    standIn("tailscale", served, 1);
    standIn("cloudflared", quick, 2);
    const tunnel = startTunnel("any", 8787, env());
    expect(await tunnel.url).toBe("https://laptop.tail1234.ts.net");
    await tunnel.end();
    expect(asked()).toBe("serve http://127.0.0.1:8787 interrupted");
  });

  test("cloudflared", async () => {
    standIn("cloudflared", quick, 2);
    const tunnel = startTunnel("any", 9000, env());
    expect(await tunnel.url).toBe("https://buffalo-marco-cardiff-motel.trycloudflare.com");
    await tunnel.end();
    expect(asked()).toBe("tunnel --no-autoupdate --url http://127.0.0.1:9000 interrupted");
  });
});

describe("a refusal is one sentence that says what to do", () => {
  test.each([
    [
      "Serve is not enabled on your tailnet.\nTo enable, visit:\n\n         https://login.tailscale.com/f/serve?node=nABC123\n\n",
      undefined,
      "Tailscale Serve is not enabled on your tailnet; open https://login.tailscale.com/f/serve?node=nABC123 and start again.",
    ],
    [
      "Access denied: serve config denied\n\nUse 'sudo tailscale serve http://127.0.0.1:8787'.\nTo not require root, use 'sudo tailscale set --operator=$USER' once.\n",
      1,
      "Tailscale lets only its operator serve; run: sudo tailscale set --operator=$USER",
    ],
    ["Logged out.\n", 1, "Tailscale is logged out on this machine; run: tailscale up"],
    ["something new\n", 3, "The tunnel (tailscale serve) did not start: something new"],
  ])("tailscale prints %j", async (text, code, sentence) => {
    standIn("tailscale", text, 2, code);
    await expect(startTunnel("tailscale", 8787, env()).url).rejects.toThrow(sentence);
    expect(existsSync(join(folder, "asked"))).toBe(true);
  });

  test.each([
    [
      '2022-01-29T09:49:15Z INF Requesting new quick Tunnel on trycloudflare.com...\nfailed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": dial tcp: lookup api.trycloudflare.com on 127.0.0.11:53: no such host\n',
      "cloudflared does not reach trycloudflare.com; check this machine's connection, and start again.",
    ],
    [
      '2026-05-29T09:25:34Z ERR Error unmarshaling QuickTunnel response: error code: 1015 error="invalid character \'e\' looking for beginning of value" status_code="429 Too Many Requests"\n',
      "trycloudflare.com gives this address no more tunnels for now; wait a few minutes, or use --tunnel=tailscale.",
    ],
  ])("cloudflared prints %j", async (text, sentence) => {
    standIn("cloudflared", text, 2, 1);
    await expect(startTunnel("any", 8787, env()).url).rejects.toThrow(sentence);
  });

  test("none is installed", () => {
    expect(() => startTunnel("any", 8787, env())).toThrow(
      "--tunnel: neither tailscale nor cloudflared is on this machine; install one (https://tailscale.com/download), or leave --tunnel out.",
    );
    standIn("cloudflared", quick, 2);
    expect(() => startTunnel("tailscale", 8787, env())).toThrow("--tunnel: tailscale is not on this machine");
  });
});

describe("a tunnel program does not outlive Handrail, and sees none of its secrets", () => {
  test("one that has not printed its URL yet is ended by a stop", async () => {
    standIn("tailscale", "connecting\n", 1);
    const tunnel = startTunnel("any", 8787, env());
    const url = expect(tunnel.url).rejects.toThrow("The tunnel (tailscale serve) did not start");
    await expect.poll(() => existsSync(join(folder, "asked"))).toBe(true);
    await tunnel.end();
    await url;
    expect(asked()).toContain("interrupted");
  });

  test("it is interrupted when the launcher is killed", async () => {
    standIn("tailscale", served, 1);
    const source = fileURLToPath(new URL("../../../scripts/launch/tunnel.ts", import.meta.url));
    const script = `import { startTunnel } from ${JSON.stringify(source)};
await startTunnel("any", 1, process.env).url;
console.log("up");
setInterval(() => {}, 1000);`;
    writeFileSync(join(folder, "launcher.mts"), script);
    const launcher = spawn(process.execPath, ["--import", "tsx", join(folder, "launcher.mts")], {
      env: { PATH: `${folder}:/usr/bin:/bin` },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(launcher.stdout, "data");
    launcher.kill("SIGKILL");
    await expect.poll(asked, { timeout: 10_000 }).toContain("interrupted");
  });

  test("its environment has what a program needs, and no key", async () => {
    writeFileSync(
      join(folder, "tailscale"),
      `#!/bin/sh\n/usr/bin/env > "${folder}/asked"\necho "Available within your tailnet: https://a.ts.net/"\nexec /bin/sleep 60\n`,
      { mode: 0o755 },
    );
    const tunnel = startTunnel("any", 1, {
      ...env(),
      HOME: "/home/a",
      HTTPS_PROXY: "http://proxy:3128",
      OPENAI_API_KEY: "sk-secret",
      HANDRAIL_TOKEN: "token-secret",
      DATABASE_URL: "db-secret",
    });
    await tunnel.url;
    await tunnel.end();
    expect(asked()).toContain("HOME=/home/a\n");
    expect(asked()).toContain("HTTPS_PROXY=http://proxy:3128\n");
    expect(asked()).not.toContain("secret");
  });
});
