// The arguments that put a command into bubblewrap. What the jail shows is listed here; everything else is absent.
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../paths/inside.ts";
import { baseEnvironment, machinePath, nodeBin, nodePlaces } from "./environment.ts";

const home = "/home/agent";

/** Read-only parts of the system that programs need. Nothing here holds a person's data or a secret. */
const systemFolders = ["/usr", "/opt", "/snap", "/nix", "/run/current-system", "/home/linuxbrew"];
/** Links into /usr on merged systems, folders on others. */
const rootFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Named one by one: /etc also holds shadow, keys and host secrets. */
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
  "java-17-openjdk",
  "java-21-openjdk",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "locale.alias",
  "locale.conf",
  "login.defs",
  "lsb-release",
  "magic",
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

export interface JailSpec {
  bwrap: string;
  /** Real path of the workspace on this machine. */
  root: string;
  /** Path at which the command sees it. */
  mount: string;
  writable: boolean;
  network: boolean;
  /** Folder to start in, as seen inside. */
  cwd: string;
  /** Arguments for what else it sees; see repository-mounts.ts. */
  mounts?: readonly string[];
}

export interface JailedCommand {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/** `command` with its arguments, wrapped so that it runs in the jail. */
export function jailed(
  spec: JailSpec,
  command: readonly string[],
  env: Record<string, string> = {},
): JailedCommand {
  const args = [
    ...[
      "--die-with-parent",
      "--new-session",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
    ],
    ...(spec.network ? [] : ["--unshare-net"]),
    // Root outside is root inside, but without any right to mount, trace or override.
    ...["--cap-drop", "ALL"],
    ...systemFolders.flatMap((path) => ["--ro-bind-try", path, path]),
    ...rootFolders.flatMap(rootFolder),
    ...etc.flatMap((name) => ["--ro-bind-try", join("/etc", name), join("/etc", name)]),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp", "--tmpfs", home],
    ...nodePlaces().flatMap((path) =>
      systemFolders.some((folder) => isInside(folder, path)) ? [] : ["--ro-bind", path, path],
    ),
    ...(spec.mounts ?? []),
    ...[spec.writable ? "--bind" : "--ro-bind", spec.root, spec.mount],
    ...["--remount-ro", "/", "--chdir", spec.cwd, "--"],
    ...command,
  ];
  return { file: spec.bwrap, args, env: { ...baseEnvironment(home, jailPath()), ...env } };
}

function rootFolder(path: string): string[] {
  if (!existsSync(path)) return [];
  const real = realpathSync(path);
  return real === path ? ["--ro-bind", path, path] : ["--symlink", real.slice(1), path];
}

/** The machine's PATH as far as it exists inside. */
function jailPath(): string[] {
  const visible = [...systemFolders, ...rootFolders, ...nodePlaces()];
  return machinePath().filter(
    (folder) => folder === nodeBin() || visible.some((place) => isInside(place, folder)),
  );
}
