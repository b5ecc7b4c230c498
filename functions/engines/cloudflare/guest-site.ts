// Everything that the platform and the settings provide to a guest's Durable Object.
import type { Bucket, GuestContainer, GuestStorage } from "./container.ts";
import type { GuestRecord, GuestRow } from "./guest-record.ts";

export interface GuestSite {
  container(): GuestContainer;
  storage: GuestStorage;
  /** Absent = disks are saved only as snapshots. */
  bucket: Bucket | undefined;
  /** Updates the list of all guests; undefined = this one was removed. */
  note(record: GuestRecord, state: GuestRow["state"] | undefined): Promise<void>;
  log(entry: Record<string, string>): void;
  /** The built sandbox server, and a file name that changes with its content. */
  server: { text: string; name: string };
  /** Milliseconds since the epoch. */
  now(): number;
  idleMs: number;
  /** The image of guests that choose none; "" if the scheduling policy fixes it. */
  image: string;
  /** The instance type, for example standard-2. */
  instance: string;
  /** R2 accepts a stream only if its length is known. */
  ofLength(bytes: number, stream: ReadableStream): ReadableStream;
}

/** The archive's key in R2. */
export function archiveOf({ owner, name }: Pick<GuestRecord, "owner" | "name">): string {
  return `guests/${owner}/${name}.tgz`;
}
