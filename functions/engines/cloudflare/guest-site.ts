// What a guest's Durable Object is given by its platform and its settings.
import type { Bucket, GuestContainer, GuestStorage } from "./container.ts";
import type { GuestRecord, GuestRow } from "./guest-record.ts";

export interface GuestSite {
  container(): GuestContainer;
  storage: GuestStorage;
  /** Absent = only snapshots keep disks. */
  bucket: Bucket | undefined;
  /** Tells the list of all guests; undefined = this one was removed. */
  note(record: GuestRecord, state: GuestRow["state"] | undefined): Promise<void>;
  log(entry: Record<string, string>): void;
  /** The built sandbox server, and a name that changes with it. */
  server: { text: string; name: string };
  /** Milliseconds since the epoch. */
  now(): number;
  idleMs: number;
  /** For guests that name none; "" if the scheduling policy fixes it. */
  image: string;
  /** Its size, for example standard-2. */
  instance: string;
  /** R2 takes a stream only with its length. */
  ofLength(bytes: number, stream: ReadableStream): ReadableStream;
}

/** Its key in R2. */
export function archiveOf({ owner, name }: Pick<GuestRecord, "owner" | "name">): string {
  return `guests/${owner}/${name}.tgz`;
}
