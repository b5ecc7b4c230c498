import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPrivate } from "../../sandbox/sources/private-address.ts";
import { RunningServer } from "./running-server.ts";

describe("addresses that the world cannot reach", () => {
  test.each([
    ...["127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ...["169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::"],
    ...[
      "fe80::1",
      "fc00::1",
      "fd12:3456::1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "64:ff9b::7f00:1",
      "2002:7f00:1::",
    ],
  ])("%s is one", (address) => expect(isPrivate(address)).toBe(true));

  test.each([
    "140.82.121.4",
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "2a00:1450::200e",
  ])("%s is none", (address) => expect(isPrivate(address)).toBe(false));
});

describe("a server that anybody may reach", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await RunningServer.start({ env: { HANDRAIL_PRIVATE_SOURCES: "0" } });
  });
  afterAll(() => server?.stop());

  test.each([
    ...["https://127.0.0.1/a.git", "https://127.1/a.git", "https://0x7f.1/a.git", "https://2130706433/a.git"],
    ...[
      "https://0177.0.0.1/a.git",
      "https://[::1]/a.git",
      "https://[::ffff:127.0.0.1]/a.git",
      "https://localhost/a.git",
    ],
    ...[
      "https://0/a.git",
      "https://169.254.169.254/latest",
      "https://10.0.0.1:8443/a.git",
      "ssh://git@127.0.0.1/a.git",
    ],
    ...["git@localhost:a.git", "git@0x7f.1:a.git", "https://user:secret@192.168.0.1/a.git"],
  ])("does not clone %s", async (git) => {
    const answer = await server.client.post("/sandboxes", { source: { git } });
    const text = JSON.stringify(answer.body);
    expect(text).toMatch(/local network/);
    expect(text).not.toContain("secret");
  });

  test.each(["http://example.com/a.git", "git://example.com/a.git"])(
    "does not clone %s: https or ssh",
    async (git) => {
      const answer = await server.client.post("/sandboxes", { source: { git } });
      expect(JSON.stringify(answer.body)).toMatch(/https or ssh/);
    },
  );
});
