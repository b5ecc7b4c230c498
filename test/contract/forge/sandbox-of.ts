// The sandbox at a path of the edge, to run commands as a session does.
import { ExecValue } from "../../../shared/sandbox.ts";
import { SandboxClient } from "../../sandbox/sandbox-client.ts";
import type { ForgeStage } from "./stage.ts";

const who = { NAME: "Ada", EMAIL: "ada@example.org" };
const env = ["AUTHOR", "COMMITTER"].flatMap((role) =>
  Object.entries(who).map(([part, text]) => `GIT_${role}_${part}=${text}`),
);

export interface SandboxOfPath {
  id: string;
  /** Throws if the command fails; returns what it printed. */
  run(command: string): Promise<string>;
}

/** `path`: `/api/sandboxes/ID`, optionally followed by more. */
export function sandboxOf({ edge }: Pick<ForgeStage, "edge">, path: string): SandboxOfPath {
  const { SANDBOX_URL, SANDBOX_TOKEN } = edge.sandbox;
  const client = new SandboxClient(SANDBOX_URL, SANDBOX_TOKEN);
  const id = path.split("/")[3] ?? "";
  return {
    id,
    async run(command) {
      const args = { command: `export ${env.join(" ")}; ${command}` };
      const { exitCode, stdout, stderr } = await client.value(ExecValue, id, "exec", args);
      if (exitCode !== 0) throw new Error(`${command}: ${stderr}`);
      return stdout;
    },
  };
}
