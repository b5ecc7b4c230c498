// `read_output` and `stop_command`: for commands that `run_command` started in the background. Offered once one was
// started.
import * as z from "zod/mini";
import { BackgroundArgs } from "../../shared/background.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { execFacts, execText } from "./run-command.ts";
import { sandboxTool } from "./tool.ts";

const { id, waitMs } = BackgroundArgs.shape;

const common = {
  modes: ["normal", "plan", "auto"],
  reads: true,
  value: ExecValue,
  text: (exec: ExecValue) => ({ text: execText(exec), facts: execFacts(exec) }),
} as const;

export const readOutput = sandboxTool({
  ...common,
  name: "read_output",
  description: "Read what a background command printed since the last time. waitMs: for its end.",
  schema: z.strictObject({ id, waitMs }),
  call: (args) => ({ op: "background", args }),
});

export const stopCommand = sandboxTool({
  ...common,
  name: "stop_command",
  description: "End a background command.",
  schema: z.strictObject({ id }),
  call: (args) => ({ op: "background", args: { ...args, stop: true } }),
});
