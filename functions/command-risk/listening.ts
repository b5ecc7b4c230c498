// Servers that other machines can reach: those bound to every interface, or to an address other than loopback.
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { asModule } from "./module-call.ts";
import { textual, toHost } from "./network-programs.ts";

/** `0.0.0.0`, `::` and `*`, with or without a port. */
const everyInterface = /^(0(\.0){3}|\[?::0?\]?|\*)(:\d+)?$/;
const ownMachine = /^(localhost|127(\.\d+){3}|\[?::1\]?)(:\d*)?$/i;
/**
 * A loopback address at the place where a server takes the address to bind to. In `-d localhost`, for example, the
 * word is a folder.
 */
const boundHere =
  /(-\w*[abhil]|-accept|--(bind|addr|address|host|hostname|interfaces?|listen|serve|http)|interface|ListenAddress)[= ]?(tcp:\/\/)?(localhost|127\.0\.0\.1|\[?::1\]?)(?![\w.-])/i;
const bindOption =
  /^(--(bind|bind-address|host|hostname|ip|listen|listen-address|address|addr|inspect(-brk|-wait|-port)?|debug-port)|-inspect|--(Notebook|Server|Lab)App\.ip)$/;
/** Tools for which `--host` without a value means every interface. */
const bareHost = /^(vite|astro|nuxt|nuxi|vitepress|rsbuild|rspack|farm)$/;
/** Servers that listen on every interface unless an option says otherwise. */
const servesAll: readonly RegExp[] = [
  /^openssl s_server\b/,
  /^hg serve\b/,
  // https://docs.python.org/3/library/http.server.html: "By default, the server binds itself to all interfaces."
  /^(http\.server|SimpleHTTPServer)\b(?! --?h)/,
  /^ruby\d* .*-run .*-e ?httpd\b/,
  /^(httpd|telnetd|ftpd|tftpd|pyftpdlib)\b/,
  /^(darkhttpd|miniserve|gotty|ttyd|wetty|sshd|dropbear|vsftpd|webfsd|thttpd)\b/,
  /^caddy (file-server|run|start|reverse-proxy)\b/,
  /^twistd\b.* (web|ftp|conch|telnet)\b/,
  /^rsync .*--daemon\b/,
  /^mongod .*--bind_ip_all\b/,
  /^dockerd .*-H\b/,
  // https://esbuild.github.io/api/#serve: without a host, it uses every interface.
  /^esbuild .*--serve(dir)?\b/,
];
/** Programs that take such an address as text or as the remote end of a connection. */
const speaks = /^(git|wait-on|docker|podman|ip|ss|netstat|lsof|kill|wait-for-it)$/;

export function listensForOthers(call: Invocation): Finding[] {
  const { program, args } = asModule(call);
  const texts = args.map(({ text }) => text);
  const said = `${program} ${texts.join(" ")}`;
  if (textual.has(program) || toHost.has(program)) return [];
  const isOpen =
    servesAll.some((pattern) => pattern.test(said) && !boundHere.test(said)) ||
    texts.some((text, at) => bindsAll(program, text, texts[at + 1], texts[at - 1]));
  return isOpen
    ? [{ risk: "remote", why: `\`${program}\` listens for other machines.`, subcommand: said }]
    : [];
}

function bindsAll(
  program: string,
  text: string,
  next: string | undefined,
  before: string | undefined,
): boolean {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const value = equals < 0 ? (next ?? "") : text.slice(equals + 1);
  if (program === "php" && text.startsWith("-S")) return !ownMachine.test((text.slice(2) || next) ?? "");
  if (speaks.test(program)) return false;
  // Django's abbreviation of 0.0.0.0.
  if (before === "runserver" && text.startsWith("0:")) return true;
  if (bareHost.test(program) && text === "--host" && (next === undefined || next.startsWith("-")))
    return true;
  const plain = text.replace(/^-[a-zA-Z](?=[\d[*:])|^tcp:\/\//, "");
  if (everyInterface.test(plain) && plain !== "*" && !/^--?(exclude|ignore|filter)/.test(before ?? ""))
    return true;
  if (!bindOption.test(name)) return false;
  // In `--inspect a.js`, the next word is a file: only an attached value is an address.
  if (/inspect/.test(name) && equals < 0) return false;
  return everyInterface.test(value) || (/^(\d+\.){3}\d+(:\d+)?$/.test(value) && !ownMachine.test(value));
}
