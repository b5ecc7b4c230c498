// This machine's Docker engine as workerd uses it: whether it is available, its images, and what a run leaves behind.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../build.ts";
import type { Env } from "../launch/env.ts";
import { containerPrefix, type LocalDocker } from "./local-guests.ts";

/** Labels our image, and with it every container and snapshot made from it. */
const label = "handrail.guests=local";
const image = "handrail-guests-local";
/** A copy of Miniflare's default, which its package does not export. */
const sidecarImage =
  "cloudflare/proxy-everything:3cb1195@sha256:0ef6716c52430096900b150d84a3302057d6cd2319dae7987128c85d0733e3c8";

/** Builds or fetches missing images. Throws an error of one sentence if Docker cannot be used. */
export function prepareDocker(env: Env): LocalDocker {
  const address = env.DOCKER_HOST || "unix:///var/run/docker.sock";
  if (!address.startsWith("unix://"))
    throw new Error(
      `workerd reaches Docker only by a socket of this machine, and DOCKER_HOST is ${address}.`,
    );
  docker(env, ["version"], `Sandboxes need Docker here, and it does not answer at ${address}`);
  const base = env.HANDRAIL_IMAGE || "handrail-sandbox";
  const file = join("sandbox", "deploy", "Containerfile");
  if (!has(env, base)) {
    console.log(`building the image ${base}, once …`);
    docker(env, ["build", "-f", file, "-t", base, "."], `The image ${base} could not be built`);
  }
  const marked = `FROM ${base}\nLABEL ${label}\n`;
  docker(env, ["build", "-q", "-t", image, "-"], `The image ${base} could not be marked`, marked);
  const sidecar = env.MINIFLARE_CONTAINER_EGRESS_IMAGE || sidecarImage;
  if (!has(env, sidecar)) {
    console.log("fetching the image of workerd's sidecar, once …");
    docker(env, ["pull", "-q", sidecar], `workerd's sidecar ${sidecar} could not be fetched`);
  }
  return { address, image, sidecar };
}

/** Removes containers, sidecars and snapshots of this run and earlier ones. Ignores errors. */
export function clearDocker(env: Env): void {
  const containers = ["ps", "-aq", "--filter", `name=${containerPrefix}`];
  const snapshots = [
    "images",
    "-q",
    "--filter",
    "reference=workerd-container-snap-*",
    "--filter",
    `label=${label}`,
  ];
  for (const [list, remove] of [
    [containers, ["rm", "-f"]],
    [snapshots, ["rmi", "-f"]],
  ] as const) {
    const found = run(env, list).stdout.split("\n").filter(Boolean);
    if (found.length > 0) run(env, [...remove, ...found]);
  }
}

function has(env: Env, name: string): boolean {
  return run(env, ["image", "inspect", name]).status === 0;
}

function docker(env: Env, args: readonly string[], failed: string, input = ""): void {
  const { status, error, stderr } = run(env, args, input);
  if (status === 0) return;
  const why = error ? "the program docker was not found." : stderr.trim().split("\n").at(-1);
  throw new Error(`${failed}: ${why}`);
}

function run(env: Env, args: readonly string[], input = "") {
  return spawnSync("docker", args, { cwd: root, env: { ...env }, input, encoding: "utf8" });
}
