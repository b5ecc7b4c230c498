// The name on the local network: its messages by RFC 6762, and a real answer if this machine has a network.
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { announce, ownName } from "../../../scripts/launch/mdns.ts";
import { answer, query, readAnswer, readQuery } from "../../../scripts/launch/mdns-messages.ts";

vi.mock("node:dgram", { spy: true });
vi.mock("node:os", { spy: true });

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const mine = "handrail-laptop.local";

describe("messages", () => {
  test("a question for an address, several in one with a compression pointer, in any letter case", () => {
    const [first, suffix] = ["0c 68616e647261696c2d612d61", "05 6c6f63616c 00"];
    const asked = bytes(`0007 0000 0002 0000 0000 0000 ${first} ${suffix} 0001 0001 02 4142 c019 001c 8001`);
    expect(readQuery(asked)).toEqual({
      id: 7,
      names: ["handrail-a-a.local", "ab.local"],
    });
    expect(readQuery(query("Handrail-Laptop.local"))).toEqual({ id: 0, names: [mine] });
  });

  test("a question for something else has no name, and an answer is not a question", () => {
    const service = bytes("0000 0000 0001 0000 0000 0000 01 61 00 000c 0001");
    expect(readQuery(service)).toEqual({ id: 0, names: [] });
    expect(readQuery(answer(mine, ["192.168.1.2"], 120))).toBeUndefined();
  });

  test("an answer has the addresses, says that there are no others, and replaces cached ones", () => {
    const message = answer(mine, ["192.168.1.2", "10.0.0.3"], 120);
    expect(readAnswer(message)).toEqual([
      { name: mine, address: "192.168.1.2" },
      { name: mine, address: "10.0.0.3" },
    ]);
    const name = "0f68616e647261696c2d6c6170746f70056c6f63616c00";
    expect(Buffer.from(answer(mine, ["192.168.1.2"], 120)).toString("hex")).toBe(
      `000084000000000200000000${name}00018001000000780004c0a80102${name}002f800100000078001a${name}000140`,
    );
  });

  test("a plain DNS client gets its id and its question back", () => {
    const message = answer(mine, ["192.168.1.2"], 10, 0x1234);
    expect(Buffer.from(message.subarray(0, 6)).toString("hex")).toBe("123484000001");
    expect(readAnswer(message)).toEqual([{ name: mine, address: "192.168.1.2" }]);
  });

  test("no packet throws or hangs", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (message) => {
        readQuery(message);
        readAnswer(message);
      }),
      { seed: 25, numRuns: 2_000 },
    );
    const loop = bytes("0000 0000 0001 0000 0000 0000 c00c 0001 0001");
    expect(readQuery(loop)).toBeUndefined();
  });

  test.each([
    ["Annas-MacBook-Pro.local", "handrail-annas-macbook-pro.local"],
    ["büro_2", "handrail-b-ro-2.local"],
    ["", "handrail-here.local"],
  ])("the machine %j is called %s", (host, name) => {
    expect(ownName(host)).toBe(name);
  });
});

const hasNetwork = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ family, internal }) => family === "IPv4" && !internal),
);

/** Asks like a phone, and resolves with the first answer that names it. */
async function asked(name: string): Promise<string | undefined> {
  const socket = createSocket("udp4").bind(0);
  await once(socket, "listening");
  socket.send(query(name), 5353, "224.0.0.251");
  const [message]: Uint8Array[] = await once(socket, "message");
  socket.close();
  return message && readAnswer(message).find((one) => one.name === name)?.address;
}

test.skipIf(!hasNetwork)(
  "a name is announced once on a network, and answers with an address of this machine",
  async () => {
    const name = `handrail-test-${process.pid}.local`;
    const announced = await announce(name);
    onTestFinished(() => announced?.end());
    expect(announced?.name).toBe(name);
    const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
    expect(own).toContain(await asked(name));
  },
);

test.skipIf(!hasNetwork)(
  "each network gets its own address alone, and a socket that fails ends nothing",
  async () => {
    const own = networkInterfaces();
    const all = Object.values(own).flatMap((some) => some ?? []);
    vi.mocked(networkInterfaces).mockReturnValue({ all: all.map((one) => ({ ...one, internal: false })) });
    vi.mocked(createSocket).mockClear();
    onTestFinished(() => void vi.mocked(networkInterfaces).mockReset());
    const name = `handrail-both-${process.pid}.local`;
    const announced = await announce(name);
    const sockets = vi.mocked(createSocket).mock.results.map(({ value }) => value as Socket);
    expect(sockets.length).toBeGreaterThan(1);
    const told: string[] = [];
    for (const socket of sockets) {
      vi.spyOn(socket, "send").mockImplementation((message) => {
        told.push(...readAnswer(message as Uint8Array).map(({ address }) => address));
      });
      socket.emit("message", query(name), { address: "127.0.0.9", port: 5353 });
    }
    expect(told).toEqual(["127.0.0.1"]);
    vi.restoreAllMocks();
    for (const socket of sockets) socket.emit("error", new Error("ENETDOWN"));
    await expect(announced?.end()).resolves.toBeUndefined();
  },
);
