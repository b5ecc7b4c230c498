// Whether a path in a command leaves the workspace, as far as its text shows. Symlinks are not seen; only the jail
// protects against them.

/** Places that contain no one's files. */
const harmless = /^\/(tmp|var\/tmp)\/|^\/dev\/(null|zero|full|u?random|std(in|out|err)|tty|fd\/\d+)$/;

/**
 * Whether `path` is absolute, in a home folder, or leads above the folder in which the command runs. Device sockets do
 * not count as paths.
 */
export function leavesWorkspace(path: string): boolean {
  if (/^(~|\$HOME\b|\$\{HOME\})/.test(path)) return true;
  if (path.startsWith("/")) return !harmless.test(path) || /\/\.\.(\/|$)/.test(path);
  let depth = 0;
  for (const part of path.split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "" && part !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** The host of `/dev/tcp/HOST/PORT`, with which bash opens a connection; undefined for any other path. */
export function socketHost(path: string): string | undefined {
  return /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(path)?.[1];
}
