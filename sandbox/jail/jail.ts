// The arguments that put a command into bubblewrap. What the jail shows is listed here; everything else is absent.
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { baseEnvironment } from "../exec/environment.ts";
import { gateArguments } from "./process-limit.ts";
import type { Toolchains } from "./toolchains.ts";

/** Kept in memory: its files are gone when the command ends. */
const home = "/home/agent";
/**
 * Java takes the home folder from the system's user database and not from HOME. Maven, Gradle and sbt keep
 * their files there.
 */
export const javaHome = `-Duser.home=${home}`;
const javaEnvironment = { MAVEN_OPTS: javaHome, GRADLE_OPTS: javaHome, SBT_OPTS: javaHome };

/**
 * Read-only parts of the system that programs need. They contain no personal data and no secrets.
 * toolchains.ts adds other installations on the PATH, such as those in /opt or by Homebrew. Of /nix only the
 * store is shown, never the daemon's socket.
 */
const systemFolders = ["/usr", "/nix/store", "/run/current-system"];
/** These are links into /usr on merged systems, and folders on others. */
const rootFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Folders of programs that the jail shows on every machine. */
export const shownFolders: readonly string[] = [...systemFolders, ...rootFolders];
/** Listed one by one, because /etc also holds shadow, keys and host secrets. */
const etc = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "debian_version",
  "default/locale",
  "fonts",
  "group",
  "host.conf",
  "hosts",
  "java-8-openjdk",
  "java-11-openjdk",
  "java-17-openjdk",
  "java-21-openjdk",
  "java-25-openjdk",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "locale.alias",
  "locale.conf",
  "login.defs",
  "lsb-release",
  "magic",
  // Debian's Maven does not start without these two. Its settings files next to them may hold logins.
  "maven/logging",
  "maven/m2.conf",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "passwd",
  "perl",
  "php",
  "pki/ca-trust",
  "pki/java",
  "pki/tls/cert.pem",
  "pki/tls/certs",
  "profile",
  "profile.d",
  "protocols",
  "python3",
  "resolv.conf",
  "services",
  "shells",
  "skel",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
];

/**
 * The jail has its own namespaces for processes, IPC, the host name and, where the kernel allows it, cgroups.
 * It has its own session and ends with the server.
 */
export const ownNamespaces: readonly string[] = [
  "--die-with-parent",
  "--new-session",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
];

export interface JailSpec {
  bwrap: string;
  /** Real path of the workspace on this machine. */
  root: string;
  /** Path at which the command sees it. */
  mount: string;
  writable: boolean;
  /** Folder to start in, as seen inside. */
  cwd: string;
  tools: Toolchains;
  /** Size of each in-memory folder in bytes; undefined if bubblewrap cannot limit it. */
  tmpBytes: number | undefined;
  /** Whether bubblewrap's own process is kept out of sight. */
  hidesFirst: boolean;
  /** The descriptor of a seccomp filter. */
  filterFd?: number | undefined;
  /** Whether the command waits for a gate; see process-limit.ts. */
  gated?: boolean;
  /** Further arguments for bubblewrap: `mounts` come before the workspace's own mount, `over` after it. */
  mounts?: readonly string[];
  over?: readonly string[];
}

export interface JailedCommand {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/**
 * Files of /proc that configure the kernel. They belong to root, and a server that runs as root is root
 * inside too: even without capabilities it could write them, whether the workspace is read-only or not.
 * Bubblewrap itself covers only the folders that it may write to (cover_proc_dirs in bubblewrap.c), and the
 * mode of these folders grants nobody write access, so it leaves the files in them writable.
 */
const kernelFiles = [
  "sys",
  "pressure",
  "mtrr",
  "acpi",
  "driver",
  "fs",
  "scsi",
  "tty",
  "asound",
  "dynamic_debug",
].map((name) => join("/proc", name));

/** `command` with its arguments, wrapped so that it runs in the jail. */
export function jailed(
  spec: JailSpec,
  command: readonly string[],
  env: Record<string, string> = {},
): JailedCommand {
  const args = [
    ...ownNamespaces,
    ...(spec.gated ? gateArguments : []),
    // A jail never gets the machine's network. The connections that a command may use are brought into the
    // jail's own.
    "--unshare-net",
    ...(spec.filterFd === undefined ? [] : ["--seccomp", String(spec.filterFd)]),
    // The user root is root inside too, but without any right to mount, trace or override.
    ...["--cap-drop", "ALL"],
    ...systemMounts(),
    ...etc.flatMap((name) => ["--ro-bind-try", join("/etc", name), join("/etc", name)]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...kernelFiles.flatMap((path) => ["--ro-bind-try", path, path]),
    // Process 1 is bubblewrap itself. Its arguments and memory contain paths of this machine.
    ...(spec.hidesFirst ? ["--tmpfs", "/proc/1", "--remount-ro", "/proc/1"] : []),
    ...["/tmp", "/var/tmp", "/dev/shm", home].flatMap((path) => inMemory(path, spec.tmpBytes)),
    ...["--remount-ro", "/dev"],
    ...spec.tools.places.flatMap((path) => ["--ro-bind-try", path, path]),
    ...spec.tools.hidden.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...(spec.mounts ?? []),
    ...[spec.writable ? "--bind" : "--ro-bind", spec.root, spec.mount],
    ...(spec.over ?? []),
    ...["--remount-ro", "/", "--chdir", spec.cwd, "--"],
    ...command,
  ];
  return {
    file: spec.bwrap,
    args,
    env: { ...baseEnvironment(home, spec.tools.path), ...javaEnvironment, ...spec.tools.env, ...env },
  };
}

function inMemory(path: string, bytes: number | undefined): string[] {
  return [...(bytes === undefined ? [] : ["--size", String(bytes)]), "--tmpfs", path];
}

/** Arguments that show the system's programs and libraries where they exist. */
export function systemMounts(folders: readonly string[] = systemFolders): string[] {
  return [...folders.flatMap((path) => ["--ro-bind-try", path, path]), ...rootFolders.flatMap(rootFolder)];
}

function rootFolder(path: string): string[] {
  if (!existsSync(path)) return [];
  const real = realpathSync(path);
  return real === path ? ["--ro-bind", path, path] : ["--symlink", real.slice(1), path];
}
