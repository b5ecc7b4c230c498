// The edge in workerd with the binding GUESTS, as `npm run deploy` makes it. The binding leads to guests in
// another process.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, dist } from "../../scripts/build.ts";
import { inTool } from "../../scripts/tools/get-tools.ts";
import { allGone, descendantsOf } from "./processes.ts";
import type { Product } from "./product.ts";

const token = "a-token-of-these-edges-of-32-characters";

/** Durable Objects that forward everything to the process with the fake guests. */
const passesOn = `
import { DurableObject } from "cloudflare:workers";
export class SandboxGuest extends DurableObject {
  fetch(request) {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set("x-played-guest", this.ctx.id.name);
    return fetch(new URL(pathname + search, this.env.GUESTS_AT), new Request(request, { headers, redirect: "manual" }));
  }
}
export default { fetch: () => new Response(null, { status: 404 }) };
`;

/** `guestsAt`: the origin that answers for all guests, which the header `x-played-guest` names. */
export async function startGuestEdge(
  guestsAt: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Product> {
  await build(["pwa", "worker", "workerd"]);
  const guests = {
    name: "handrail-guests",
    compatibilityDate: "2026-04-01",
    modules: [{ type: "ESModule", path: "guests.mjs", contents: passesOn }],
    durableObjects: { OWN: { className: "SandboxGuest", useSQLite: true } },
    bindings: { GUESTS_AT: guestsAt },
  };
  const child = spawn(process.execPath, [join(dist, "workerd.mjs")], {
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", HANDRAIL_TOKEN: token },
      ...{ HANDRAIL_MINIFLARE: inTool("workerd", "miniflare/dist/src/index.js") },
      ...{ HANDRAIL_GUESTS_WORKER: JSON.stringify(guests), ...env },
    },
    // workerd ends when this end of its pipe closes.
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { pid } = child;
  let printed = "";
  const exit = new Promise((resolve) => child.once("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    const take = (chunk: string) => {
      printed += chunk;
      const ready = /^edge ready (\S+)$/m.exec(printed)?.[1];
      if (ready) resolve(ready);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    void exit.then(() => reject(new Error(`the edge did not start:\n${printed}`)));
  });
  if (pid === undefined) throw new Error("the edge has no process");
  const kill = async (signal: NodeJS.Signals) => {
    const servers = descendantsOf(pid);
    child.kill(signal);
    await exit;
    await allGone(servers);
  };
  return {
    ...{ url, token, pid, kill, stateDir: "" },
    logs: () => printed,
    close: () => kill("SIGTERM"),
  };
}
