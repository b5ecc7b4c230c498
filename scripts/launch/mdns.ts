// Announces this machine's name on the local network (multicast DNS), so that the app's address stays valid when the
// machine gets another one. RFC 6762; the messages are in mdns-messages.ts.
import { createSocket, type Socket } from "node:dgram";
import { hostname, networkInterfaces } from "node:os";
import { answer, query, readAnswer, readQuery } from "./mdns-messages.ts";

const group = "224.0.0.251";
const mdnsPort = 5353;
/**
 * How long clients cache the name: RFC 6762 section 10 for host names. Plain DNS programs should ask again soon
 * (section 6.7).
 */
const rememberSeconds = 120;
const plainSeconds = 10;
/** Three probes at intervals of 250 ms (section 8.1). */
const probes = 3;
const probeMs = 250;
const lookAgainMs = 15_000;

export interface Announced {
  /** For example `handrail-laptop.local`. */
  name: string;
  /** Announces that the name is gone. */
  end(): Promise<void>;
}

/** The name contains this machine's host name, so that two machines in one network do not compete for it. */
export function ownName(host = hostname()): string {
  const word = (host.split(".")[0] ?? "").toLowerCase().replace(/[^a-z0-9-]+/g, "-");
  return `handrail-${word.replace(/^-+|-+$/g, "").slice(0, 50) || "here"}.local`;
}

/**
 * Returns undefined if nothing can be announced: there is no network, no permission, or another machine has the name.
 * Never throws.
 */
export async function announce(name = ownName()): Promise<Announced | undefined> {
  const announcer = new Announcer(name);
  if (await announcer.start()) return { name, end: () => announcer.end() };
  await announcer.end();
  return undefined;
}

class Announcer {
  private readonly name: string;
  private links: { address: string; socket: Socket }[] = [];
  private isTaken = false;
  private isOurs = false;
  private again: NodeJS.Timeout | undefined;

  constructor(name: string) {
    this.name = name;
  }

  async start(): Promise<boolean> {
    await this.open();
    if (this.links.length === 0) return false;
    for (let left = probes; left > 0 && !this.isTaken; left -= 1) {
      this.sendAll(() => query(this.name));
      await new Promise((resolve) => setTimeout(resolve, probeMs));
    }
    if (this.isTaken) return false;
    this.isOurs = true;
    this.say();
    this.again = setInterval(() => void this.look(), lookAgainMs).unref();
    return true;
  }

  async end(): Promise<void> {
    clearInterval(this.again);
    if (this.isOurs) this.sendAll((address) => answer(this.name, [address], 0));
    this.isOurs = false;
    // Pending messages are sent before the socket closes.
    await new Promise((resolve) => setImmediate(resolve));
    this.close();
  }

  private say(): void {
    this.sendAll((address) => answer(this.name, [address], rememberSeconds));
  }

  /** The machine may have moved to another network, or got another address. */
  private async look(): Promise<void> {
    const known = this.links.map(({ address }) => address).sort();
    if (known.join() === addresses().join()) return;
    this.close();
    await this.open();
    this.say();
  }

  private async open(): Promise<void> {
    await Promise.all(addresses().map((address) => this.link(address)));
  }

  /** One socket for each network, which answers with this machine's address in that network. */
  private link(address: string): Promise<void> {
    const socket = createSocket({ type: "udp4", reuseAddr: true });
    return new Promise((resolve) => {
      // The network may fail at any time. Sending, or closing the socket again, would throw; `look` opens a new one.
      socket.on("error", () => {
        this.links = this.links.filter((link) => link.socket !== socket);
        socket.close();
        resolve();
      });
      socket.bind(mdnsPort, () => {
        try {
          socket.addMembership(group, address);
          socket.setMulticastInterface(address);
          socket.setMulticastTTL(255);
        } catch {
          socket.close();
          return resolve();
        }
        socket.on("message", (message, from) => this.take(message, from, address, socket));
        socket.unref();
        this.links.push({ address, socket });
        resolve();
      });
    });
  }

  private take(
    message: Uint8Array,
    from: { address: string; port: number },
    address: string,
    socket: Socket,
  ): void {
    if (!this.isOurs) {
      const others = readAnswer(message).filter(({ name }) => name === this.name);
      this.isTaken ||= others.some((other) => !addresses().includes(other.address));
      return;
    }
    const asked = readQuery(message);
    if (!asked?.names.includes(this.name) || !isNear(from.address, address)) return;
    const isPlain = from.port !== mdnsPort;
    if (isPlain)
      socket.send(answer(this.name, [address], plainSeconds, asked.id), from.port, from.address, ignore);
    else socket.send(answer(this.name, [address], rememberSeconds), mdnsPort, group, ignore);
  }

  private sendAll(message: (address: string) => Uint8Array): void {
    for (const { address, socket } of this.links) socket.send(message(address), mdnsPort, group, ignore);
  }

  private close(): void {
    for (const { socket } of this.links) socket.close();
    this.links = [];
  }
}

/** Errors of a network that is down are ignored. */
const ignore = () => undefined;

function networks(): { address: string; netmask: string }[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal);
}

function addresses(): string[] {
  return networks()
    .map(({ address }) => address)
    .sort();
}

/**
 * Whether `other` is in the network of this machine's address `own`. Other clients get no answer (RFC 6762 section 11).
 * Each network must get its own address, and every socket may receive the questions of all networks.
 */
function isNear(other: string, own: string): boolean {
  const netmask = networks().find(({ address }) => address === own)?.netmask ?? "255.255.255.255";
  const mask = numberOf(netmask);
  return (numberOf(own) & mask) === (numberOf(other) & mask);
}

function numberOf(address: string): number {
  return address.split(".").reduce((sum, part) => (sum << 8) | Number(part), 0);
}
