// The settings with which a guest's container and volume are made. Pure.
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
  /** The id that the name of the chosen image had when the person allowed it. */
  imageId: "handrail.image-id",
  person: "handrail.person",
  /** Marks a volume that records which guest is being deleted. */
  removed: "handrail.removed",
  /** Marks a volume that records since when a guest is being made, in milliseconds since the epoch. */
  begun: "handrail.begun",
  /** Labels the container that tries an image, with the guest's id. */
  trial: "handrail.trial",
  /** Marks volumes and containers with our server, for images that are not ours. */
  program: "handrail.program",
} as const;

/** The operator's limits for each guest. */
export interface GuestSize {
  memoryBytes: number;
  cpus: number;
  /** Limit of processes and threads. */
  pids: number;
  /** MiB that its workspace may take; absent = the sandbox server's own default. */
  diskMiB: string | undefined;
  /** MiB that its journal, versions and snapshots may take; absent = the sandbox server's own default. */
  stateMiB: string | undefined;
  /** Size of its volume, as the engine itself limits it; absent = the engine limits nothing. */
  volumeBytes: number | undefined;
  /** After this time without use its server exits, and the container with it. */
  idleMinutes: number;
  /** false = there is no jail inside: commands run in the container just as the server does. */
  jails: boolean;
}

export interface ContainerSpec extends Omit<GuestSpec, "image"> {
  image: string;
  /** The image's id, used if its name may mean another image now; absent = the name is used. */
  imageId?: string;
  owner: string;
  token: string;
  size: GuestSize;
  networkId: string;
  /** A file on the engine's machine with the seccomp profile; absent = the profile itself is sent. */
  profileFile?: string;
  /** Settings of the sandbox server that are passed on to it. */
  env: Readonly<Record<string, string | undefined>>;
  /** For an image that is not ours: the volume with our server and its own node, and the image's PATH. */
  foreign?: { program: string; path: string };
  /** true = it has no volume, because it only tries an image. */
  trial?: boolean;
  /**
   * The address on the engine's machine at which the server's port is published; absent = it is not
   * published.
   */
  publishedAt?: string;
}

const passedOn = ["HANDRAIL_NETWORK_HOSTS", "HANDRAIL_COMMAND_MEMORY"] as const;

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

/** Reads what `guestLabels` wrote. `network`: the default if the labels name none. */
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
    HANDRAIL_STATE_BUDGET: size.stateMiB,
    // A private address would lead into the network of the engine's machine, whose repositories a guest must
    // not read.
    HANDRAIL_PRIVATE_SOURCES: env.HANDRAIL_PRIVATE_SOURCES || "0",
    // The image's own home folder, or the whole image, may be read-only.
    HOME: "/state",
    // Our folder comes last, so that the image's own programs take precedence.
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
      // The image may set options for its own node that do not suit ours.
      ...(foreign ? ["NODE_OPTIONS="] : []),
    ],
    ...(foreign ? { Healthcheck: { Test: ["NONE"] } } : {}),
    Labels: { ...guestLabels(spec), ...(trial ? { [labels.trial]: spec.name } : {}) },
    ExposedPorts: { [port]: {} },
    StopTimeout: 20,
    HostConfig: {
      Binds: [
        ...(trial ? [] : [`${volumeOf(spec.name)}:/state`]),
        // `nocopy` keeps content of the image at this path out of the volume, which all guests share. Not
        // sent to Podman, where it is untested.
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
      // Bubblewrap mounts its own /proc for each command, which the kernel refuses if parts of this one are
      // covered.
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

/** `apparmor=unconfined`, because Docker's own profile refuses mounts even inside a user namespace. */
function securityOptions(jails: boolean, file: string | undefined): string[] {
  const profile = `seccomp=${file ?? JSON.stringify(seccompProfile(jails))}`;
  // Podman ignores the two lists of paths above if they are empty; this option has the same effect.
  const unmasked = file === undefined ? [] : ["unmask=ALL"];
  return ["no-new-privileges:true", profile, ...(jails ? ["apparmor=unconfined", ...unmasked] : [])];
}

/** Docker makes the folder before it mounts, so the mount needs an owner. Podman does not accept one. */
function trialState(file: string | undefined): string {
  return file === undefined ? "mode=0755,uid=1000,gid=1000" : "mode=1777";
}

export function containerOf(guest: string): string {
  return `handrail-${guest}`;
}

/** The container's name while its sandbox is being made. A container that keeps this name is a leftover. */
export function newContainerOf(guest: string): string {
  return `handrail-new-${guest}`;
}

/** The container that tries an image. It belongs to no guest. */
export function trialOf(guest: string): string {
  return `handrail-trial-${guest}`;
}

export function volumeOf(guest: string): string {
  return `handrail-${guest}`;
}

/**
 * The volume that marks a guest as being deleted. If this process dies, a later one finishes the deletion.
 */
export function removalOf(guest: string): string {
  return `handrail-removed-${guest}`;
}

/**
 * The volume that marks a guest whose own volume may exist without a container. If this process dies, a later
 * one removes it.
 */
export function beginningOf(guest: string): string {
  return `handrail-begun-${guest}`;
}

/** Each guest has its own network, so that guests cannot reach each other. */
export function networkOf(guest: string): string {
  return `handrail-network-${guest}`;
}

/**
 * Name of the empty volume whose labels record the image that a guest was given later: labels of the guest's own volume
 * cannot change.
 */
export function chosenOf(guest: string): string {
  return `handrail-image-${guest}`;
}

/** Refuses names such as `removed-…` or `../…`, which are not guests. */
export function isGuest(guest: string): boolean {
  return /^[a-z0-9]+$/i.test(guest);
}

/**
 * Gives each guest one of 16 million loopback addresses. Another guest may reuse a free port, but not this
 * address. So a request for one guest, and above all its token, cannot reach another.
 */
export function loopbackOf(guest: string): string {
  const bits = Array.from(guest).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
  // Neither the network's own address nor the broadcast address.
  return `127.${1 + ((bits >>> 16) % 254)}.${(bits >>> 8) % 256}.${1 + (bits % 254)}`;
}
