// The edge in workerd with the binding GUESTS, as `npm run deploy` makes it; it leads to guests in another process.
import { spawn } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, dist } from "../../scripts/build.ts";
import { inTool } from "../../scripts/tools/get-tools.ts";
import { allGone, descendantsOf } from "./processes.ts";
import type { Product } from "./product.ts";

const token = "a-token-of-these-edges-of-32-characters";
const withGuests = fileURLToPath(new URL("./miniflare-with-guests.mjs", import.meta.url));

/** `guestsAt`: origin of what answers for all guests, which the header `x-played-guest` names. */
export async function startGuestEdge(
  guestsAt: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Product> {
  await build(["pwa", "worker", "workerd"]);
  const cache = inTool("workerd", ".cache");
  const miniflare = join(cache, "miniflare-with-guests.mjs");
  await mkdir(cache, { recursive: true });
  await copyFile(withGuests, miniflare);
  const child = spawn(process.execPath, [join(dist, "workerd.mjs")], {
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", HANDRAIL_TOKEN: token },
      ...{ HANDRAIL_MINIFLARE: miniflare, GUESTS_AT: guestsAt, ...env },
    },
    // It ends when this end of its pipe closes.
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
