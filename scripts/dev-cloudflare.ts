// `npm run dev:cloudflare`: runs what `npm run deploy` uploads in workerd on this machine: the edge, and the guests'
// script with containers of the local Docker engine.
import { join } from "node:path";
import { build, dist, root } from "./build.ts";
import { clearDocker, prepareDocker } from "./cloudflare/local-docker.ts";
import { localGuests } from "./cloudflare/local-guests.ts";
import { run } from "./launch/run.ts";
import { getTools } from "./tools/get-tools.ts";

/** Settings of the guests' script; on Cloudflare they are in wrangler.sandbox.toml. */
const guestSettings = ["HANDRAIL_GUEST_IDLE_MINUTES"];

async function main(): Promise<void> {
  const { env } = process;
  await build(["guests", "sandbox"]);
  const docker = prepareDocker(env);
  clearDocker(env);
  process.once("exit", () => clearDocker(env));
  const bindings = Object.fromEntries(
    guestSettings.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  await run(
    {
      root,
      dist,
      command: "npm run dev:cloudflare --",
      stateFolders: [join(root, ".handrail/cloudflare")],
      build,
      getRuntime: () => void getTools(["workerd"]),
    },
    process.argv.slice(2),
    {
      // Docker's default seccomp profile allows no jail in a container, and workerd sets no other.
      HANDRAIL_GUEST_JAIL: "0",
      ...env,
      HANDRAIL_RUNTIME: "workerd",
      HANDRAIL_ENGINE: "cloudflare",
      HANDRAIL_GUESTS_WORKER: JSON.stringify({ ...localGuests(docker, dist), bindings }),
    },
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
