// Addresses that no command reaches through the proxy, whatever is allowed: this machine, its networks,
// metadata services.
import { networkInterfaces } from "node:os";
import { isPrivate } from "../sources/private-address.ts";

/**
 * Metadata services at public addresses: Azure's,
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16. Those of other clouds
 * are link-local or private (169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254).
 */
export const metadataAddresses: readonly string[] = ["168.63.129.16"];

/** `address`: in the form that a resolver or the URL parser gives. */
export function isForbidden(address: string): boolean {
  return isPrivate(address) || metadataAddresses.includes(address) || ownAddresses().has(address);
}

/**
 * The machine's own addresses. A service that listens on all of them could also be reached by a public one.
 * They are looked up each time because they change.
 */
export function ownAddresses(): Set<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)),
  );
}
