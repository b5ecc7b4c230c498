// The inside half of the proxy: in a jail that has no network but its own loopback, a few lines run by the jail's node
// take connections there and pass them to the socket that only this jail sees. Everything here runs inside the jail.

/** Where the jail sees the folder of its proxy's socket. */
export const proxyFolder = "/run/handrail";
export const proxySocket = "proxy";

/** Any would do, since the jail's loopback is its own: below the range that programs get theirs from, and used by no server that is known. */
export const bridgePort = 31_128;

/**
 * Ends of streams are passed on, cuts too. Its name is its own, so that `pkill node` does not hit it, and it stays when
 * the command is asked to end: what that still sends is let through.
 */
const source = `
const net = require("node:net");
process.title = "handrail-net";
for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"]) process.on(name, () => {});
const server = net.createServer({ allowHalfOpen: true }, (inside) => {
  const outside = net.connect({ path: "${proxyFolder}/${proxySocket}", allowHalfOpen: true });
  for (const [from, to] of [[inside, outside], [outside, inside]]) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => from.readableEnded || to.destroy());
  }
});
server.listen(${bridgePort}, "127.0.0.1", () => console.log("ready"));
`;

/** Started twice removed, so that a command which waits for all of its children does not wait for this one. */
const script = `f=/tmp/.handrail-net.$$; r=
mkfifo "$f" && { ( ( NODE_OPTIONS= exec "$1" --input-type=commonjs -e "$2" >"$f" 2>/dev/null </dev/null ) & ) ; read -r r <"$f"; }
rm -f "$f"
if [ "$r" != ready ]; then echo "handrail: the way to the network could not be opened in the jail" >&2; exit 126; fi
shift 2; exec "$@"`;

/** `command`, which begins once the bridge listens and has the same arguments, environment and streams as without it. */
export function bridged(command: readonly string[], node = process.execPath): string[] {
  return ["/bin/sh", "-c", script, "sh", node, source, ...command];
}
