// The time that the sandbox server takes for a commit from the phone: one changed file, in a repository of a
// few files and in one of 20,000.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Committed } from "../../shared/delivery.ts";
import { RunningServer } from "../sandbox/running-server.ts";
import { medians } from "./medians.ts";
import { workspace } from "./sandbox-large.ts";

let keys = 0;

/**
 * Prints the median time of commits of one file, which is changed before each of them, and of a command that
 * does nothing.
 */
export async function commits(): Promise<void> {
  const places = [await committed(1), await committed(2_000)];
  const [small] = places;
  const [few = 0, many = 0, nothing = 1] = await medians(11, [
    ...places.map(({ work }) => work),
    async () => small?.server.client.call(small.id, "exec", { command: "true" }),
  ]);
  for (const { server } of places) await server.stop();
  const told = (time: number) => `${time.toFixed(0)} ms (${(time / nothing).toFixed(1)} times \`true\`)`;
  console.log(`a commit of one file: ${told(few)} in 10 files, ${told(many)} in 20,000`);
}

async function committed(folders: number) {
  const root = await workspace(folders);
  const by = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", ["add", "-A"], { cwd: root });
  execFileSync("git", [...by, "commit", "-qm", "first"], { cwd: root });
  const server = await RunningServer.start({ workspace: root });
  const { id } = await server.client.create();
  const path = "f0/g0/0.txt";
  const work = () => {
    keys += 1;
    writeFileSync(join(root, path), `${keys}\n`);
    return server.client.value(Committed, id, "commit", { key: `k${keys}`, message: "More", paths: [path] });
  };
  return { server, id, work };
}
