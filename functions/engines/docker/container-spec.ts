// What a guest's container and its volume are made with. Pure.
import * as z from "zod/mini";
import { Network } from "../../../shared/network.ts";
import type { GuestSpec } from "../engine.ts";
import { seccompProfile } from "./seccomp-profile.ts";

export const port = "8788/tcp";

export const labels = {
  owner: "handrail.owner",
  workspace: "handrail.workspace",
  network: "handrail.network",
  image: "handrail.image",
  /** What the name of a chosen image led to when the person allowed it. */
  imageId: "handrail.image-id",
  person: "handrail.person",
  /** Marks the volume that says which guest is being deleted. */
  removed: "handrail.removed",
  /** Marks the volume that says since when a guest is being made, in ms since the epoch. */
  begun: "handrail.begun",
  /** Labels the container that tries an image with the guest's id. */
  trial: "handrail.trial",
  /** Marks what holds our server for images that are not ours. */
  program: "handrail.program",
} as const;

/** What the operator gives each guest. */
export interface GuestSize {
  memoryBytes: number;
  cpus: number;
  /** Processes and threads. */
  pids: number;
  /** MiB that its workspace may take; absent = as the sandbox server has it. */
  diskMiB: string | undefined;
  /** Minutes without use after which its server ends itself, and the container with it. */
  idleMinutes: number;
  /** false = no jail inside: commands run in the container as the server does. */
  jails: boolean;
}

export interface ContainerSpec extends Omit<GuestSpec, "image"> {
  image: string;
  /** What it is made of where the name may lead elsewhere by now; absent = by its name. */
  imageId?: string;
  owner: string;
  token: string;
  size: GuestSize;
  networkId: string;
  /** A file of the engine's machine with the seccomp profile; absent = the profile itself is sent. */
  profileFile?: string;
  /** Settings of the sandbox server that are passed on. */
  env: Readonly<Record<string, string | undefined>>;
  /** For an image that is not ours: the volume with our server and a node of its own, and where the image has its programs. */
  foreign?: { program: string; path: string };
  /** It has no volume, and is looked at once. */
  trial?: boolean;
  /** The address at which the server's port is published on the engine's machine; absent = it is not published. */
  publishedAt?: string;
}

const passedOn = ["HANDRAIL_NETWORK_HOSTS", "HANDRAIL_COMMAND_MEMORY", "HANDRAIL_STATE_BUDGET"] as const;

export type GuestLabels = Readonly<Record<string, string>>;

export function guestLabels(
  spec: Pick<ContainerSpec, "owner" | "workspace" | "network" | "image" | "person">,
): GuestLabels {
  return {
    [labels.owner]: spec.owner,
    [labels.workspace]: spec.workspace,
    [labels.network]: spec.network,
    [labels.image]: spec.image,
    ...(spec.person === undefined ? {} : { [labels.person]: spec.person }),
  };
}

/** What `guestLabels` wrote of a guest. `network`: where they name none. */
export function saidIn(
  own: GuestLabels,
  network: Network,
): Pick<GuestSpec, "network" | "workspace" | "person"> {
  const person = own[labels.person];
  return {
    network: z.safeParse(Network, own[labels.network]).data ?? network,
    workspace: own[labels.workspace] ?? "",
    ...(person === undefined ? {} : { person }),
  };
}

/** The body of `POST /containers/create`. */
export function containerBody(spec: ContainerSpec): object {
  const { size, network, token, env, foreign, trial, publishedAt } = spec;
  const variables = {
    ...Object.fromEntries(passedOn.map((name) => [name, env[name]])),
    SANDBOX_TOKEN: token,
    HANDRAIL_NETWORK: network,
    HANDRAIL_DISK_QUOTA: size.diskMiB,
    // Its address is one of the engine's machine: repositories there are not the guest's.
    HANDRAIL_PRIVATE_SOURCES: env.HANDRAIL_PRIVATE_SOURCES || "0",
    // The image's may be read-only, or the whole of it.
    HOME: "/state",
    // Last, so that what the image has itself comes first.
    PATH: foreign && `${foreign.path}:/opt/handrail/bin`,
  };
  const server = ["/opt/handrail/node", "/opt/handrail/sandbox.mjs", "--state", "/state"];
  const listens = ["--host", "0.0.0.0", "--port", "8788", "--idle-minutes", String(size.idleMinutes)];
  return {
    Image: spec.imageId ?? spec.image,
    Entrypoint: [...server, ...listens],
    Cmd: [],
    User: "1000:1000",
    WorkingDir: "/state",
    Env: [
      ...Object.entries(variables).flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])),
      // What an image wants of its own node is not ours.
      ...(foreign ? ["NODE_OPTIONS="] : []),
    ],
    ...(foreign ? { Healthcheck: { Test: ["NONE"] } } : {}),
    Labels: { ...guestLabels(spec), ...(trial ? { [labels.trial]: spec.name } : {}) },
    ExposedPorts: { [port]: {} },
    StopTimeout: 20,
    HostConfig: {
      Binds: [
        ...(trial ? [] : [`${volumeOf(spec.name)}:/state`]),
        // What an image has there itself does not get into the volume, which is every guest's. Not said to Podman: untried there.
        ...(foreign ? [`${foreign.program}:/opt/handrail:ro${spec.profileFile ? "" : ",nocopy"}`] : []),
      ],
      Tmpfs: {
        ...{ "/tmp": "mode=1777,size=512m", "/workspace": "mode=0755,size=1m" },
        ...(trial ? { "/state": `${trialState(spec.profileFile)},size=64m,exec` } : {}),
      },
      NetworkMode: spec.networkId,
      ...(publishedAt ? { PortBindings: { [port]: [{ HostIp: publishedAt, HostPort: "" }] } } : {}),
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: securityOptions(size.jails, spec.profileFile),
      // Bubblewrap mounts a /proc of its own for each command, which the kernel refuses where parts of this one are covered.
      ...(size.jails ? { MaskedPaths: [], ReadonlyPaths: [] } : {}),
      Memory: size.memoryBytes,
      MemorySwap: size.memoryBytes,
      NanoCpus: Math.round(size.cpus * 1e9),
      PidsLimit: size.pids,
      Init: true,
      RestartPolicy: { Name: "no" },
      LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "1" } },
    },
  };
}

/** `apparmor=unconfined`: Docker's own profile refuses mounts, also those of a user namespace of one's own. */
function securityOptions(jails: boolean, file: string | undefined): string[] {
  const profile = `seccomp=${file ?? JSON.stringify(seccompProfile(jails))}`;
  // Podman's word for the two lists of paths above, which it leaves out if they are empty.
  const unmasked = file === undefined ? [] : ["unmask=ALL"];
  return ["no-new-privileges:true", profile, ...(jails ? ["apparmor=unconfined", ...unmasked] : [])];
}

/** Docker makes the folder before the mount, and the mount takes its mode: it needs an owner. Podman refuses to name one. */
function trialState(file: string | undefined): string {
  return file === undefined ? "mode=0755,uid=1000,gid=1000" : "mode=1777";
}

export function containerOf(guest: string): string {
  return `handrail-${guest}`;
}

/** While its sandbox is being made: what keeps this name is a leftover. */
export function newContainerOf(guest: string): string {
  return `handrail-new-${guest}`;
}

/** Belongs to no guest, and is none. */
export function trialOf(guest: string): string {
  return `handrail-trial-${guest}`;
}

export function volumeOf(guest: string): string {
  return `handrail-${guest}`;
}

/** Marks a guest that is being deleted: if this process dies in between, a later one finishes. */
export function removalOf(guest: string): string {
  return `handrail-removed-${guest}`;
}

/** Marks a guest whose volume may exist without a container: if this process dies in between, a later one takes it back. */
export function beginningOf(guest: string): string {
  return `handrail-begun-${guest}`;
}

/** Of its own, so that guests do not reach each other. */
export function networkOf(guest: string): string {
  return `handrail-network-${guest}`;
}

/** The image that a guest was made again in: the labels of a volume cannot change. */
export function chosenOf(guest: string): string {
  return `handrail-image-${guest}`;
}

/** Whoever asks for a guest named `removed-…` or `../…` asks for none. */
export function isGuest(guest: string): boolean {
  return /^[a-z0-9]+$/i.test(guest);
}

/**
 * Each guest gets a loopback address of its own, of 16 million: another guest may reuse a free port, but not this
 * address. So a request for one guest, and above all its token, cannot reach another.
 */
export function loopbackOf(guest: string): string {
  const bits = Array.from(guest).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
  // Neither the network's own address nor the broadcast address.
  return `127.${1 + ((bits >>> 16) % 254)}.${(bits >>> 8) % 256}.${1 + (bits % 254)}`;
}
