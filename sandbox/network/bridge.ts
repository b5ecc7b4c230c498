// The inner half of the proxy. In a jail that has no network but its own loopback, a few lines run by the
// jail's node accept connections there and pass them to a socket that only this jail sees. Everything here
// runs inside the jail.

/** The folder of the proxy's socket, as the jail sees it. */
export const proxyFolder = "/run/handrail";
export const proxySocket = "proxy";

/**
 * Any port would do, because the loopback is the jail's own. This one is below the range of ephemeral ports,
 * and no known server uses it.
 */
export const bridgePort = 31_128;

/**
 * The ends of streams are passed on, including broken ones. The process has its own title, so that `pkill
 * node` does not hit it. It keeps running when the command is asked to end, so that output which the command
 * still sends gets through.
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

/**
 * Started as a grandchild, so that a command that waits for all of its children does not wait for the bridge.
 */
const script = `f=/tmp/.handrail-net.$$; r=
mkfifo "$f" && { ( ( NODE_OPTIONS= exec "$1" --input-type=commonjs -e "$2" >"$f" 2>/dev/null </dev/null ) & ) ; read -r r <"$f"; }
rm -f "$f"
if [ "$r" != ready ]; then echo "handrail: the way to the network could not be opened in the jail" >&2; exit 126; fi
shift 2; exec "$@"`;

/**
 * `command`, started once the bridge listens, with the same arguments, environment and streams as without it.
 */
export function bridged(command: readonly string[], node = process.execPath): string[] {
  return ["/bin/sh", "-c", script, "sh", node, source, ...command];
}
