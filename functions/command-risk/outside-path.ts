// Whether a path in a command leaves the workspace, as far as its text tells. Symlinks are not seen; the jail holds.

/** Places that hold nothing of anybody's. */
const harmless = /^\/(tmp|var\/tmp)\/|^\/dev\/(null|zero|full|u?random|std(in|out|err)|tty|fd\/\d+)$/;

/** `path` is absolute, of a home folder, or climbs above where the command runs. Device sockets are not paths. */
export function leavesWorkspace(path: string): boolean {
  if (/^(~|\$HOME\b|\$\{HOME\})/.test(path)) return true;
  if (path.startsWith("/")) return !harmless.test(path) || path.includes("/../");
  let depth = 0;
  for (const part of path.split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "" && part !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** `/dev/tcp/HOST/PORT` as a file name opens a connection in bash; its host, if it is one. */
export function socketHost(path: string): string | undefined {
  return /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(path)?.[1];
}
