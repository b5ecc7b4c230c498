// Names, addresses and rules as the proxy compares them, without any socket.
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { isForbidden } from "../../sandbox/network/forbidden-address.ts";
import { authorityOf, hostOf, shownHost } from "../../sandbox/network/host-name.ts";
import { hostRule, ruleFor } from "../../sandbox/network/host-rules.ts";
import { judge, Refusals } from "../../sandbox/network/proxy-policy.ts";

const root = new URL("../..", import.meta.url).pathname;

describe("a host", () => {
  test.each([
    ["Example.COM", "example.com"],
    ["example.com.", "example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["a_b.example", "a_b.example"],
    ["0x7f.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["[::FFFF:127.0.0.1]", "::ffff:7f00:1"],
    [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
  ])("%s is %s", (text, name) => expect(hostOf(text)?.name).toBe(name));

  test.each([
    ["nothing", ""],
    ["a dot", "."],
    ["an empty label", "a..b"],
    ["a hyphen at its beginning", "-a.example"],
    ["a hyphen at its end", "a-.example"],
    ["a sign that URLs take", "a!b.example"],
    ["two hosts", "a.example,b.example"],
    ["a number that is no address", "1.2.3.4.5"],
    ["a number that is too large", "256.256.256.256"],
    ["punycode of nothing", "xn--.example"],
    ["brackets around a name", "[a.b]"],
    ["an address of IPv6 without brackets", "::1"],
    ["a user", "user@a.example"],
    ["a path", "a.example/b"],
    ["a backslash", "a.example\\b"],
    ["an escape", "%61.example"],
    ["a zone", "[fe80::1%25eth0]"],
    ["a soft hyphen", "a\u00adb.example"],
    ["a space", "a b.example"],
    ["a NUL", "a\0.example"],
    ["more characters than a name may have", `${"a.".repeat(130)}example`],
    ["a label that is too long", `${"a".repeat(64)}.example`],
  ])("is not %s", (_, text) => expect(hostOf(text)).toBeUndefined());
});

describe("a host with a port", () => {
  test.each([
    ["a.example", "a.example", undefined],
    ["a.example:1", "a.example", 1],
    ["a.example:65535", "a.example", 65_535],
    ["[2606:4700::1]:443", "2606:4700::1", 443],
  ])("%s", (text, name, port) => expect(authorityOf(text)).toMatchObject({ host: { name }, port }));

  test.each([
    "a.example:0",
    "a.example:65536",
    "a.example:99999",
    "a.example:",
    "a.example:+1",
    "a:b:1",
    ":1",
  ])("is not %s", (text) => expect(authorityOf(text)).toBeUndefined());

  test("IPv6 addresses are shown in brackets, default web ports are not shown", () => {
    const host = { name: "2606:4700::1", literal: true };
    expect(shownHost({ host, port: 443 })).toBe("[2606:4700::1]");
    expect(shownHost({ host, port: 22 })).toBe("[2606:4700::1]:22");
  });
});

describe("a rule", () => {
  test.each([
    ["example.com", { name: "example.com", below: false }],
    ["*.Example.com", { name: "example.com", below: true }],
    ["example.com:8443", { name: "example.com", below: false, port: 8443 }],
    ["140.82.121.4", { name: "140.82.121.4", below: false }],
  ])("%s", (text, rule) => expect(hostRule(text)).toMatchObject(rule));

  test.each([
    ["*.com", /covers too much/],
    ["*.localhost", /covers too much/],
    ["*.10.0.0.1", /covers too much/],
    ["*.140.82.121.4", /covers too much/],
    ["localhost", /local network/],
    ["printer", /local network/],
    ["db.internal", /local network/],
    ["*.corp.internal", /local network/],
    ["box.local", /local network/],
    ["router.home.arpa", /local network/],
    ["169.254.169.254", /local network/],
    ["168.63.129.16", /local network/],
    ["0x7f.1", /local network/],
    ["[::1]", /local network/],
    ["https://example.com", /not a host/],
    ["*", /not a host/],
    ["a.*.com", /not a host/],
    ["", /not a host/],
  ])("is not %s", (text, why) => expect(hostRule(text)).toMatch(why));

  const ruleOf = (text: string) => {
    const rule = hostRule(text);
    if (typeof rule === "string") throw new Error(rule);
    return rule;
  };
  const covers = (text: string, wanted: string) => {
    const { host, port = 443 } = authorityOf(wanted) ?? {};
    return host !== undefined && ruleFor([ruleOf(text)], host, port) !== undefined;
  };
  test.each([
    ["example.com", "example.com:80"],
    ["*.example.com", "a.example.com"],
    ["*.example.com", "a.b.example.com"],
    ["example.com:22", "example.com:22"],
  ])("%s covers %s", (rule, host) => expect(covers(rule, host)).toBe(true));
  test.each([
    ["example.com", "a.example.com"],
    ["example.com", "example.com:22"],
    ["example.com", "example.com.evil.test"],
    ["example.com", "evilexample.com"],
    ["*.example.com", "example.com"],
    ["*.example.com", "evilexample.com"],
    ["*.example.com", "a.example.com:8443"],
    ["example.com:22", "example.com:443"],
  ])("%s does not cover %s", (rule, host) => expect(covers(rule, host)).toBe(false));
});

test("without any rules, names and addresses of this machine's network are refused", () => {
  const asked = (text: string) => {
    const { host, port = 443 } = authorityOf(text) ?? {};
    if (!host) throw new Error(text);
    return judge({ rules: undefined }, { forbidden: isForbidden }, { host, port });
  };
  for (const text of [
    "localhost",
    "db",
    "a.localhost",
    "a.internal",
    "10.0.0.1",
    "[fd00::1]",
    "168.63.129.16",
  ])
    expect(asked(text), text).toEqual({ problem: "private_address" });
  for (const text of ["example.com", "140.82.121.4", "[2606:4700::1]", "local.example", "notlocal.example"])
    expect(asked(text), text).toEqual({ look: "none" });
});

test("up to 20 hosts that a command was refused are kept, each once with its first reason", () => {
  const refusals = new Refusals();
  const target = (name: string) => ({ host: { name, literal: false }, port: 443 });
  refusals.add(target("0.example"), "not_allowed");
  refusals.add(target("0.example"), "another_name");
  for (let count = 1; count < 30; count++) refusals.add(target(`${count}.example`), "not_allowed");
  expect(refusals.list).toHaveLength(20);
  expect(refusals.list[0]).toEqual({ host: "0.example", reason: "not_allowed" });
  expect(refusals.list[19]).toEqual({ host: "19.example", reason: "not_allowed" });
});

const namespace = ["-rn", "sh", "-c"];
const mayUnshare = spawnSync("unshare", [...namespace, "ip addr add 203.1.2.3/32 dev lo"]).status === 0;

test.skipIf(!mayUnshare).each([
  ["", "ip link set lo up", "lo"],
  [" whose interface has no carrier", "ip link add v0 type veth && ip link set v0 up", "v0"],
])("a public address of this machine itself%s is refused", (_, before, device) => {
  const asked = ["203.1.2.3", "203.1.2.4", "2606::3", "2606::4"];
  const script = `import { isForbidden } from "./sandbox/network/forbidden-address.ts"; console.log(${JSON.stringify(asked)}.map(isForbidden).join())`;
  const added = ["203.1.2.3/24", "2606::3/64"].map((each) => `ip addr add ${each} dev ${device}`);
  const run = [before, ...added, `exec "$0" --import tsx --input-type=module -e '${script}'`].join(" && ");
  const { stdout, stderr } = spawnSync("unshare", [...namespace, run, process.execPath], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout, stderr).toBe("true,false,true,false\n");
});
