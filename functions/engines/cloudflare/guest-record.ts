// The data that a guest's Durable Object stores, and its messages with the edge. Tokens are never stored.
import * as z from "zod/mini";
import { Network } from "../../../shared/network.ts";

/** Prefix of the paths of the edge's own commands, which are not for our server in the container. */
export const controlPath = "/guest/";
/** The object that keeps the list of all guests. No guest can have this name. */
export const indexName = "~index";
/**
 * Marks the response to a request that did not arrive, because the container does not run or does not listen.
 */
export const notThereHeader = "x-handrail-not-there";
export const ownerHeader = "x-handrail-owner";

/** Times in milliseconds since the epoch. */
export const KeptDisk = z.object({
  at: z.number(),
  /** A snapshot's id, and the image with which its container was started. */
  snapshot: z.optional(z.object({ id: z.string(), image: z.string() })),
  /** true = there is also an archive in R2. */
  archive: z.boolean(),
});
export type KeptDisk = z.infer<typeof KeptDisk>;

export const NewGuest = z.object({
  name: z.string(),
  token: z.string(),
  network: Network,
  workspace: z.string(),
  image: z.optional(z.string()),
  person: z.optional(z.string()),
});
export type NewGuest = z.infer<typeof NewGuest>;

/** The answer to a creation. */
export const Created = z.object({ existed: z.boolean() });
export type Created = z.infer<typeof Created>;

/**
 * `awake`: it was started and we have not put it to sleep since. `restored`: the disk of the running
 * container is complete, so it may be saved. `used`: a sandbox was made in it. `joined`: more than one
 * creation asked for it.
 */
export interface GuestRecord extends Omit<NewGuest, "token"> {
  owner: string;
  createdAt: number;
  awake: boolean;
  restored: boolean;
  used: boolean;
  joined?: boolean;
  kept?: KeptDisk;
}

export const Status = z.object({
  state: z.enum(["running", "asleep", "gone"]),
  snapshotAt: z.optional(z.number()),
});
export type Status = z.infer<typeof Status>;

export const GuestRow = z.object({
  guest: z.string(),
  state: z.enum(["ready", "asleep", "gone"]),
  createdAt: z.number(),
  workspace: z.string(),
  person: z.optional(z.string()),
});
export type GuestRow = z.infer<typeof GuestRow>;

/** Prefix of the keys under which an owner's guests are listed. */
export function rowsPrefix(owner: string): string {
  return `row ${owner} `;
}

/** The answer to a request for a place. The place is given back with this key. */
export const TakenPlace = z.object({ key: z.string() });
export type TakenPlace = z.infer<typeof TakenPlace>;
