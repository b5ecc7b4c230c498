import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pin } from "../../sandbox/sources/clone.ts";
import { isPrivate } from "../../sandbox/sources/private-address.ts";
import { RunningServer } from "./running-server.ts";

describe("addresses that are not public", () => {
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

  // The first and last address of each block, and the public ones just before and after it.
  test.each([
    ["0.0.0.0", "0.255.255.255", undefined, "1.0.0.0"],
    ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
    ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
    ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
    ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
    ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
    ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
    ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
    ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
    ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
    ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
    ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
    ["224.0.0.0", "255.255.255.255", "223.255.255.255", undefined],
    ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined, "2000::"],
    ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff::", "2001:200::"],
    ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::", "2001:db9::"],
    ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::", "2003::"],
    ["4000::", "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", undefined],
    ["8000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined, undefined],
  ])("are all from %s to %s, and no others", (first, last, before, after) => {
    expect([isPrivate(first), isPrivate(last)]).toEqual([true, true]);
    for (const beside of [before, after]) if (beside) expect(isPrivate(beside), beside).toBe(false);
  });

  test.each([
    "140.82.121.4",
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "2a00:1450::200e",
  ])("%s is not one", (address) => expect(isPrivate(address)).toBe(false));
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

describe("the addresses that git may use", () => {
  test("over https are those that were checked, without a redirect; ssh is checked alone", async () => {
    const held = ["-c", "http.followRedirects=false", "-c"];
    const at = (port: number) => `http.curloptResolve=93.184.216.34:${port}:93.184.216.34`;
    expect(await pin("https://93.184.216.34/a.git")).toEqual([...held, at(443)]);
    expect(await pin("https://93.184.216.34:8443/a.git")).toEqual([...held, at(8443)]);
    expect(await pin("ssh://git@93.184.216.34/a.git")).toEqual([]);
    expect(await pin("git@93.184.216.34:a.git")).toEqual([]);
  });

  test.each([
    ["https://127.0.0.1/a.git", "forbidden"],
    ["https://0x7f000001/a.git", "forbidden"],
    ["ssh://git@10.0.0.1/a.git", "forbidden"],
    ["git@192.168.1.1:a.git", "forbidden"],
    ["http://93.184.216.34/a.git", "invalid_request"],
    ["https://no-such-host.invalid/a.git", "invalid_request"],
  ])("%s is refused: %s", async (url, code) => {
    await expect(pin(url)).rejects.toMatchObject({ code });
  });
});
