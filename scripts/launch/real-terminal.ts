// The terminal that the program was started in.
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Terminal } from "./first-run.ts";
import { SettingsError } from "./settings-error.ts";

/** undefined without an interactive terminal; then nothing is asked. `command`: the command that a person types. */
export function realTerminal(command: string): (Terminal & { close(): void }) | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  let isSecret = false;
  const notAnswered = new SettingsError(
    `Nothing was kept: the questions were not answered. Start again, or say it all: ${command} FOLDER --model ID`,
  );
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isSecret) process.stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // readline turns Ctrl-C into an event, so it is converted back to a signal.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  // Lines that are typed before the question also count as answers.
  const typed: string[] = [];
  let waiting: ((line: string) => void) | undefined;
  let closed: () => void = () => undefined;
  let isClosed = false;
  lines.on("line", (line) => {
    if (waiting) waiting(line);
    else typed.push(line);
  });
  lines.on("close", () => {
    isClosed = true;
    closed();
  });
  return {
    say: (text) => console.log(text),
    ask: (question, secret = false) =>
      new Promise((resolve, reject) => {
        lines.setPrompt(question);
        lines.prompt();
        isSecret = secret;
        closed = () => reject(notAnswered);
        waiting = (line) => {
          waiting = undefined;
          if (isSecret) process.stdout.write("\n");
          isSecret = false;
          resolve(line.trim());
        };
        const ahead = typed.shift();
        if (ahead !== undefined) waiting(ahead);
        else if (isClosed) closed();
      }),
    close: () => {
      closed = () => undefined;
      lines.close();
    },
  };
}
