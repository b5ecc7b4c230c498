// Tells from outside whether our server in a guest is running something: its commands, clones and jails are
// its child processes.

/**
 * The guest has the server's process id in `server.pid`, in `folder` below the home folder. Prints "busy" or
 * nothing.
 */
export const busyScript = (folder: string) => `cd "$HOME/${folder}" || exit 0
pid=$(cat server.pid 2>/dev/null) || exit 0
grep -qs "^PPid:[[:space:]]*$pid$" /proc/[0-9]*/status && echo busy
exit 0`;
