// The routes of sandboxes themselves, and of the server's capabilities.
import { join } from "node:path";
import type { Capabilities } from "../../shared/capabilities.ts";
import { HandrailError } from "../../shared/errors.ts";
import { CreateSandbox, type SandboxInfo } from "../../shared/sandbox.ts";
import { version } from "../../shared/version.ts";
import type { ServerContext } from "../context.ts";
import { revoke, revokeAll } from "../journal/revoke.ts";
import * as limits from "../limits.ts";
import { networkKinds } from "../network/networks.ts";
import { isInside } from "../paths/inside.ts";
import { infoOf, preparingWaitMs, type Sandbox } from "../sandbox.ts";
import { waitAtMost } from "../wait-at-most.ts";
import { diskBytesOf } from "../workspace/disk-use.ts";
import { branchOf } from "../workspace/head.ts";
import { Snapshots } from "../workspace/snapshots.ts";
import { hasWorktrees } from "../worktrees/worktree-place.ts";
import { readBody } from "./answers.ts";
import { noContent, type Router } from "./router.ts";

/** The first snapshot must not keep a person waiting longer than this. */
const snapshotWaitMs = 2_000;

/** A worktree takes longer than this if a command runs in the folder; meanwhile the person can type. */
const worktreeWaitMs = 3_000;

export function sandboxRoutes(app: Router, server: ServerContext): void {
  app.get("/v1/capabilities", async () => Response.json(await capabilities(server)));

  app.post("/v1/sandboxes", async (c) => {
    const request = await readBody(c, CreateSandbox);
    // An existing sandbox is found even if the disk is full.
    const known = request.id === undefined ? undefined : await server.registry.find(request.id);
    if (!known) await server.budget.check();
    const { sandbox, created } = await server.registry.create(request);
    if (created) await waitAtMost(sandbox.preparing, request.source ? preparingWaitMs : worktreeWaitMs);
    await waitAtMost(sandbox.beginning, snapshotWaitMs);
    if (created && sandbox.record.state === "failed") {
      const problem = sandbox.record.problem ?? "The workspace could not be made.";
      // Another request may have deleted it meanwhile.
      await server.registry.remove(sandbox.record.id).catch(() => undefined);
      throw new HandrailError("invalid_request", problem);
    }
    const info = { ...infoOf(sandbox, server.redactor), ...(await branchIn(sandbox, server)) };
    return Response.json(info, { status: created ? 201 : 200 });
  });

  app.get("/v1/sandboxes/:id", async (c) => {
    const sandbox = await server.registry.get(c.param("id"));
    const [sizes, branch, stateFolder, together] = await Promise.all([
      sizesOf(sandbox),
      branchIn(sandbox, server),
      server.budget.told(),
      workingWith(sandbox, server),
    ]);
    const info: SandboxInfo = {
      ...{ ...infoOf(sandbox, server.redactor), ...branch },
      ...{ ...sizes, ...diskOf(sandbox), together },
    };
    return Response.json(stateFolder ? { ...info, stateFolder } : info);
  });

  app.delete("/v1/sandboxes/:id/grants", async (c) => {
    const { journal } = await server.registry.get(c.param("id"));
    await revokeAll(journal);
    return noContent();
  });

  app.delete("/v1/sandboxes/:id/grants/:grant", async (c) => {
    const { journal } = await server.registry.get(c.param("id"));
    if (!(await revoke(journal, c.param("grant"))))
      throw new HandrailError(
        "not_found",
        "This sandbox holds no such grant. It may have been revoked already.",
      );
    return noContent();
  });

  app.delete("/v1/sandboxes/:id", async (c) => {
    await server.registry.remove(c.param("id"));
    return noContent();
  });
}

export async function capabilities(server: ServerContext): Promise<Capabilities> {
  const { workspace, diskQuotaBytes, stateBytes = limits.stateBytes } = server.options;
  return {
    protocol: 1,
    engine: `handrail-sandbox/${version}`,
    isolation: server.jail ? "bubblewrap" : "none",
    readonlyExec: server.jail ? "os" : "allowlist",
    snapshots: Snapshots.available,
    network: networkKinds(server.jail, server.networks),
    worktrees:
      Snapshots.available && (!workspace || (await hasWorktrees(server.registry.folders, workspace))),
    seccomp: server.jail?.filters !== undefined,
    memoryLimit: server.jail?.groups === undefined ? "counted" : "cgroup",
    limits: { ...limits.reported, diskQuotaBytes, stateBytes },
  };
}

export async function branchIn(
  { folder, record }: Sandbox,
  { redactor }: ServerContext,
): Promise<Pick<SandboxInfo, "branch">> {
  const name = record.state === "ready" ? await branchOf(folder).catch(() => undefined) : undefined;
  return name === undefined ? {} : { branch: redactor.redact(name) };
}

/** Ids of other sandboxes that share files with this one and are running a turn. */
async function workingWith(
  { record, folder: { root } }: Sandbox,
  { registry }: ServerContext,
): Promise<string[]> {
  return (await registry.opened()).flatMap(({ record: { id }, folder, journal }) => {
    const shares = isInside(root, folder.root) || isInside(folder.root, root);
    const works = [...journal.turns.values()].some((turn) => !turn.finished && turn.attendance.attended);
    return id !== record.id && shares && works ? [id] : [];
  });
}

/**
 * The disk use according to the last measurement. It is absent for a sandbox without a quota, which is not
 * measured.
 */
function diskOf({
  quota: { lastUsedBytes: usedBytes, maxBytes: quotaBytes },
}: Sandbox): Pick<SandboxInfo, "disk"> {
  return usedBytes === undefined ? {} : { disk: { usedBytes, quotaBytes } };
}

async function sizesOf({ dir, folder }: Sandbox): Promise<Pick<SandboxInfo, "sizes">> {
  const journals = ["turns", "calls"].map((name) => join(dir, name));
  const sizes = await diskBytesOf([...journals, folder.snapshots.store.dir]);
  if (sizes === undefined) return {};
  const [turns = 0, calls = 0, snapshotBytes = 0] = sizes;
  return { sizes: { journalBytes: turns + calls, snapshotBytes } };
}
