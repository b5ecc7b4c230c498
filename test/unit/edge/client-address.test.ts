import { expect, test } from "vitest";
import { clientAddress } from "../../../functions/routes/client-address.ts";

const request = (forwarded?: string) =>
  new Request("http://handrail.test/", forwarded ? { headers: { "x-forwarded-for": forwarded } } : {});

test.each([
  ["a client that connects by itself", "203.0.113.7", undefined, "203.0.113.7"],
  ["a client that claims to be another", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["a tunnel on this machine", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a tunnel on this machine, over IPv6", "::1", "198.51.100.1", "198.51.100.1"],
  ["a tunnel whose client sent the header too", "::ffff:127.0.0.1", "10.9.9.9, 198.51.100.1", "198.51.100.1"],
  ["a program on this machine", "127.0.0.1", undefined, "127.0.0.1"],
  ["a runtime that does not know", undefined, undefined, "unknown"],
])("%s", (_, peer, forwarded, expected) => {
  expect(clientAddress(request(forwarded), peer)).toBe(expected);
});
