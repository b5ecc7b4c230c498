// Addresses of MCP servers that are never called, however they are written.
import { describe, expect, test } from "vitest";
import { checkedAddress, headerOf } from "../../../functions/mcp/address.ts";
import { meaningsOf } from "../../../functions/mcp/embedded-address.ts";
import { isForbidden } from "../../../sandbox/network/forbidden-address.ts";

const why = (host: string, hosted = false) => {
  try {
    return checkedAddress(`https://${host}/mcp`, hosted).hostname;
  } catch (error) {
    return String(error);
  }
};

/** 169.254.169.254 is a9fe:a9fe in hexadecimal. */
describe("a metadata service", () => {
  test.each([
    ["as IPv4", "169.254.169.254"],
    ["as a number", "2852039166"],
    ["of Alibaba", "100.100.100.200"],
    ["of Oracle", "192.0.0.192"],
    ["of Azure", "168.63.129.16"],
    ["of Amazon in IPv6", "[fd00:ec2::254]"],
    ["of Google in IPv6", "[fd20:ce::254]"],
    ["by its name", "metadata.google.internal."],
    ["by its short name", "metadata"],
    ["by its name at Google", "metadata.goog"],
    ["by its name at Amazon", "instance-data.ec2.internal"],
    ["by its short name at Amazon", "instance-data"],
    ["at a link-local address", "[fe80::1]"],
    ["IPv4-mapped", "[::ffff:169.254.169.254]"],
    ["IPv4-compatible", "[::169.254.169.254]"],
    ["IPv4-translated", "[::ffff:0:a9fe:a9fe]"],
    ["behind NAT64", "[64:ff9b::169.254.169.254]"],
    ["behind local NAT64, /96", "[64:ff9b:1::a9fe:a9fe]"],
    ["behind local NAT64, /48", "[64:ff9b:1:a9fe:a9:fe00::]"],
    ["behind local NAT64, /48, with zeros", "[64:ff9b:1:c000:0:c000::]"],
    ["behind local NAT64, /56", "[64:ff9b:1:a9:fe:a9fe::]"],
    ["behind local NAT64, /64", "[64:ff9b:1:0:a9:fea9:fe00:0]"],
    ["by 6to4", "[2002:a9fe:a9fe::1]"],
    ["as a Teredo server", "[2001:0:a9fe:a9fe::1]"],
    ["as a Teredo client", "[2001::5601:5601]"],
    ["another one behind NAT64", "[64:ff9b::6464:64c8]"],
  ])("%s is refused", (_, host) => {
    expect(why(host)).toContain("is never called");
  });
});

test.each([
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[::1]",
  "[::]",
  "0.0.0.0",
  "[::ffff:0:0]",
  "[::ffff:0.0.0.0]",
  "[::ffff:0:0:0]",
  "[64:ff9b::]",
  "x.localhost",
  "localhost.",
])("%s is this machine, which a hosted edge does not call", (host) => {
  expect(why(host, true)).toContain("reaches no machine of yours");
});

test.each([
  "[2606:4700::6810:84e5]",
  "[64:ff9b::808:808]",
  "[2002:808:808::1]",
  "8.8.8.8",
  "169.253.1.1",
  "mcp.example",
])("%s is called", (host) => {
  expect(why(host, true)).toBe(host);
});

test.each([
  "https://user:pass@mcp.example/mcp",
  "https://user@mcp.example/mcp",
  "https://:pass@mcp.example/mcp",
])("%s is refused, since a login would be stored with the address", (address) => {
  expect(() => checkedAddress(address, false)).toThrow("has a login in it");
});

test.each(["http://mcp.example/mcp", "http://10.0.0.5/mcp", "ftp://mcp.example/mcp", "file:///etc/passwd"])(
  "%s is not called: only https, and http on this machine",
  (address) => {
    expect(() => checkedAddress(address, false)).toThrow("use https");
  },
);

test.each(["localhost", "127.0.0.1", "[::1]"])(
  "%s is called without encryption by an edge on that machine",
  (host) => {
    expect(checkedAddress(`http://${host}:1/mcp`, false).hostname).toBe(host);
    expect(why(host)).toBe(host);
  },
);

test.each(["localhost.example", "my-localhost", "127.0.0.1.example", "x127.0.0.1.example"])(
  "%s is not this machine",
  (host) => {
    expect(() => checkedAddress(`http://${host}/mcp`, false)).toThrow("use https");
  },
);

test.each(["abc", " abc ", "Bearer abc", "bearer  abc "])(
  "the token %j is sent as one of the scheme Bearer",
  (token) => {
    expect(headerOf(token)).toEqual(["authorization", "Bearer abc"]);
  },
);

test("an invalid address is not repeated, since it may contain a key", () => {
  expect(() => checkedAddress("example.com?key=secret", false)).toThrow(/^Its address is no URL/);
});

test("every IPv6 form of a metadata address is one that the sandbox's proxy refuses, too", () => {
  for (const form of [
    "::ffff:a9fe:a9fe",
    "::a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "2001:0:a9fe:a9fe::",
  ]) {
    expect(meaningsOf(form)).toContain("169.254.169.254");
    expect(isForbidden(form), form).toBe(true);
  }
});
