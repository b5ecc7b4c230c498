// One edge and one sandbox server with a fake forge, shared by the tests of pull requests.
import { SandboxAnswer } from "../../../shared/api.ts";
import { ErrorBody } from "../../../shared/errors.ts";
import type { ForgeKind, PullRequest } from "../../../shared/forge.ts";
import { type RunningForge, startPlayedForge } from "../../fakes/forge/forge-server.ts";
import { forgeToken, type PlayedForge } from "../../fakes/forge/played-forge.ts";
import { type RunningEdge, startEdge } from "../../harness/edge-in-process.ts";
import { type Answer, ask, post } from "../http/request.ts";

export interface ForgeStage {
  running: RunningForge;
  forge: PlayedForge;
  edge: RunningEdge;
  /** A sandbox whose clone is on a new branch with one commit; returns its path. */
  branch(name: string): Promise<string>;
  /** A sandbox whose clone is of that branch; returns its path. */
  clone(branch: string): Promise<string>;
  ask(path: string, init?: RequestInit, token?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** `more`: settings of the edge, derived from the forge's host. */
export async function openStage(
  kind: ForgeKind,
  more: (host: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<ForgeStage> {
  const running = await startPlayedForge();
  const { forge, origin, cloneUrl } = running;
  const env = {
    HANDRAIL_FORGES: `${kind}=${origin}`,
    HANDRAIL_GITHUB_CLIENT_ID: "played-client",
    ...more(new URL(origin).host),
  };
  const edge = await startEdge("http://127.0.0.1:9/v1", env);
  const asked = (path: string, init: RequestInit = {}, token = forgeToken) => {
    const headers = { ...(init.headers as Record<string, string>), ...(token && { "x-git-token": token }) };
    return ask(edge, path, { ...init, headers });
  };
  const clone = async (ref: string) => {
    const git = cloneUrl.replace("://", `://x:${forgeToken}@`);
    const { json } = await ask(
      edge,
      "/api/sandboxes",
      post({ source: { git, ...(ref !== "main" && { ref }) } }),
    );
    return `/api/sandboxes/${SandboxAnswer.parse(json).sandboxId}`;
  };
  return {
    running,
    forge,
    edge,
    clone,
    ask: asked,
    async branch(name) {
      forge.git("update-ref", `refs/heads/${name}`, forge.headOf("main") ?? "");
      forge.write(name, { "a.txt": `${name}\n` }, `On ${name}`);
      return `${await clone(name)}/pull-request`;
    },
    async close() {
      await edge.close();
      await running.close();
    },
  };
}

export const asked = (title = "Dates", more: object = {}) =>
  post({ key: "k1", title, body: "What was done.", draft: false, ...more });

/** The reason and the message of a refusal. */
export function refusal({ status, json }: Answer): { status: number; reason: unknown; words: string } {
  const { error } = ErrorBody.parse(json);
  return { status, reason: error.details?.reason ?? error.code, words: error.message };
}

export function seen({ status, json }: Answer): PullRequest {
  if (status !== 200) throw new Error(JSON.stringify(json));
  return json as PullRequest;
}
