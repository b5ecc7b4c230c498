// One server with one sandbox for all tests of a file.
import { afterAll, beforeAll } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

interface OneSandbox {
  server: RunningServer;
  workspace: string;
  id: string;
}

/**
 * Call it at the top of a file. The returned functions work only inside tests, because there is no sandbox
 * before.
 */
export function oneSandbox() {
  let made: OneSandbox | undefined;
  beforeAll(async () => {
    const workspace = await freshFolder("workspace");
    const server = await RunningServer.start({ workspace });
    made = { server, workspace, id: (await server.client.create()).id };
  });
  afterAll(async () => {
    await made?.server.stop();
    await removeFolders();
  });
  const sandbox = (): OneSandbox => {
    if (made === undefined) throw new Error("the sandbox is there once the tests run");
    return made;
  };
  const exec = (command: string, access: "readonly" | "write", env: Record<string, string> = {}) => {
    const { server, id } = sandbox();
    return server.client.value(ExecValue, id, "exec", { command, env }, access);
  };
  return { sandbox, exec };
}
