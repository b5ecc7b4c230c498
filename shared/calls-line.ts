// The lines of the response to a batch of calls (PROTOCOL 4).
import * as z from "zod/mini";
import { CallResult } from "./sandbox.ts";

/** A piece of live output; `offset` is its byte offset within the stream. */
export const outputFields = {
  key: z.string(),
  stream: z.literal(["stdout", "stderr"]),
  offset: z.number(),
  text: z.string(),
};

/** One line of the response to a batch of calls. */
export const CallsLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("recorded"), seq: z.number() }),
  /** A call begins. Sent only if the request asks for it with `?starts=1`. */
  z.object({ type: z.literal("started"), key: z.string(), at: z.number() }),
  z.object({ type: z.literal("output"), ...outputFields }),
  z.object({ ...CallResult.shape, type: z.literal("result") }),
  z.object({ type: z.literal("ping") }),
  z.object({ type: z.literal("end") }),
]);
export type CallsLine = z.infer<typeof CallsLine>;
