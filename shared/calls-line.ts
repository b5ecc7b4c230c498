// The answer to a batch of calls, line by line (PROTOCOL 4).
import * as z from "zod/mini";
import { CallResult } from "./sandbox.ts";

/** Fields of a piece of live output; `offset`: bytes within its stream. */
export const outputFields = {
  key: z.string(),
  stream: z.enum(["stdout", "stderr"]),
  offset: z.number(),
  text: z.string(),
};

/** A line of the answer to a batch of calls. */
export const CallsLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("recorded"), seq: z.number() }),
  /** The call begins. Sent where the request asks for it with `?starts=1`. */
  z.object({ type: z.literal("started"), key: z.string(), at: z.number() }),
  z.object({ type: z.literal("output"), ...outputFields }),
  z.object({ ...CallResult.shape, type: z.literal("result") }),
  z.object({ type: z.literal("ping") }),
  z.object({ type: z.literal("end") }),
]);
export type CallsLine = z.infer<typeof CallsLine>;
