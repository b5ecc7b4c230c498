// Compares commands in the jail of this version and of an earlier one, alternating in one run.
// HANDRAIL_BENCH_BEFORE is the path of the earlier `dist/sandbox.mjs`, built in a checkout of that version.
import { RunningServer, removeFolders } from "../sandbox/running-server.ts";
import { medians } from "./medians.ts";

const commands = [
  ["`true`, which may write", "write", "true"],
  ["`true`, which only reads", "readonly", "true"],
  ["`git status`, which only reads", "readonly", "git status --short"],
  ["a commit", "write", "date +%N > f; git add f; git -c user.name=a -c user.email=a@b.c commit -qm f"],
  ["node, which may write", "write", "node -e 0"],
] as const;

export async function run(): Promise<void> {
  const file = process.env.HANDRAIL_BENCH_BEFORE;
  if (!file) return console.log("set HANDRAIL_BENCH_BEFORE to the dist/sandbox.mjs of an earlier version");
  const servers = [await RunningServer.start(), await RunningServer.start({ file })];
  const ids = await Promise.all(
    servers.map(async ({ client }) => (await client.create({ source: { sample: true } })).id),
  );
  let keys = 0;
  for (const [name, access, command] of commands) {
    const works = servers.map(({ client }, index) => () => {
      keys += 1;
      const call = { key: `bench-${keys}`, op: "exec" as const, args: { command } };
      return client.results(ids[index] ?? "", { access, calls: [call] });
    });
    const [now = 0, before = 1] = await medians(40, works);
    const ratio = `${(now / before).toFixed(2)} times`;
    console.log(`${name}: ${now.toFixed(0)} ms, before ${before.toFixed(0)} ms: ${ratio}`);
  }
  for (const server of servers) await server.stop();
  await removeFolders();
}
