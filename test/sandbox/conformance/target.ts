// The server under test: the built single file, or the one that HANDRAIL_CONFORMANCE_URL and HANDRAIL_CONFORMANCE_TOKEN
// name. The suite uses only /v1 and makes its sandboxes from the sample.
import { afterAll, beforeAll, describe } from "vitest";
import { RunningServer, removeFolders, type ServerSettings } from "../running-server.ts";
import { SandboxClient } from "../sandbox-client.ts";

interface Target {
  client: SandboxClient;
  stop(): Promise<unknown>;
}

/** An area of the suite. It declares tests; the client exists only while they run. */
export type Area = (client: () => SandboxClient) => void;

/** `settings` apply to our own server. Another server is used as it runs. */
async function ownTarget(settings: ServerSettings): Promise<Target> {
  const { HANDRAIL_CONFORMANCE_URL: url, HANDRAIL_CONFORMANCE_TOKEN: token } = process.env;
  if (url) {
    if (!token)
      throw new Error(
        "HANDRAIL_CONFORMANCE_TOKEN: give the token of the server at HANDRAIL_CONFORMANCE_URL.",
      );
    return { client: new SandboxClient(url.replace(/\/(v1\/?)?$/, ""), token), stop: async () => undefined };
  }
  const server = await RunningServer.start(settings);
  return { client: server.client, stop: () => server.stop() };
}

/** Declares the tests of `area` for one server. */
export function describeServer(area: Area, settings: ServerSettings = {}): void {
  describeTarget(() => ownTarget(settings), area);
}

const machines = [
  { name: "with ripgrep and bubblewrap", env: {}, tags: [] },
  { name: "without either", tags: "long", env: { HANDRAIL_NO_RG: "1", HANDRAIL_NO_BWRAP: "1" } },
];

/** Declares the tests of `area` for a machine with its tools and for one without. */
export function describeMachines(area: Area): void {
  for (const { name, env, tags } of machines) describe(name, { tags }, () => describeServer(area, { env }));
}

/** Declares the tests of several areas for the server that `open` starts. */
export function describeTarget(open: () => Promise<Target>, ...areas: readonly Area[]): void {
  let target: Target | undefined;
  beforeAll(async () => {
    target = await open();
  }, 900_000);
  afterAll(async () => {
    await target?.stop();
    await removeFolders();
  });
  for (const area of areas)
    area(() => {
      if (!target) throw new Error("the server is not running");
      return target.client;
    });
}

export const hello = { path: "notes/hello.txt", content: "one\ntwo\nthree\n", base: null };
