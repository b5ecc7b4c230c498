// The server that the conformance suite looks at: our own, or the one that HANDRAIL_CONFORMANCE_URL and _TOKEN name.
import { RunningServer, type ServerSettings } from "./running-server.ts";
import { SandboxClient } from "./sandbox-client.ts";

export interface Target {
  client: SandboxClient;
  stop(): Promise<unknown>;
}

export async function conformanceTarget(settings: ServerSettings = {}): Promise<Target> {
  const { HANDRAIL_CONFORMANCE_URL: url, HANDRAIL_CONFORMANCE_TOKEN: token } = process.env;
  if (url && token) return { client: new SandboxClient(url, token), stop: async () => undefined };
  const server = await RunningServer.start(settings);
  return { client: server.client, stop: () => server.stop() };
}

export const hello = { path: "notes/hello.txt", content: "one\ntwo\nthree\n", base: null };
