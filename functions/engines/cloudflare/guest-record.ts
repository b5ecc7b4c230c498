// What a guest's Durable Object stores, and what the edge and it say to each other. No token is stored anywhere.
import * as z from "zod/mini";
import { Network } from "../../../shared/network.ts";

/** The path of requests from the edge that are not for our server. */
export const controlPath = "/guest/";
/** The object that lists all others; no guest has such a name. */
export const indexName = "~index";
/** Marks the answer to a request that did not arrive: the container does not run, or does not listen. */
export const notThereHeader = "x-handrail-not-there";
export const ownerHeader = "x-handrail-owner";

/** Times in milliseconds since the epoch. */
export const KeptDisk = z.object({
  at: z.number(),
  /** A snapshot's id, and the image that its container was started with. */
  snapshot: z.optional(z.object({ id: z.string(), image: z.string() })),
  /** It is in R2. */
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
 * `awake`: it was started, and not put to sleep by us since. `restored`: the disk of the container that runs is whole, so that
 * it may be kept. `used`: a sandbox was made in it. `joined`: more than one creation asked for it.
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
