// Starts a container, and makes the error message if it ends immediately.
import { HandrailError } from "../../../shared/errors.ts";
import type { DockerApi, Inspected } from "./docker-api.ts";

/** How many ports in a row may be taken: two engines on one machine try ports in the same order. */
const portTries = 100;

/**
 * Starts the container, and retries after two kinds of errors. The engine tries ports in order, and reports
 * an error if another program on this machine uses one. The network's name is ambiguous while two edges have
 * each made it and neither has removed the duplicate yet.
 */
export async function startWithPort(api: DockerApi, name: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await api.tell("POST", `/containers/${name}/start`, { absent: [304, 404] });
      return;
    } catch (error) {
      const passes =
        error instanceof HandrailError &&
        /external connectivity|network \S+ is ambiguous/.test(error.message);
      if (!passes || tries >= portTries) throw error;
    }
  }
}

export async function endedAtOnce(api: DockerApi, { Id, State }: Inspected): Promise<HandrailError> {
  const log = await api.text(`/containers/${Id}/logs?stderr=1&stdout=1&tail=5`).catch(() => "");
  // Each part of the log begins with eight bytes:
  // https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach
  const words = Array.from(log, (char) => (char < " " || char === "\ufffd" ? " " : char)).join("");
  const said = State.Error || words.trim().slice(-300) || "it said nothing";
  const code = endedFromOutside({ State }) ? "sandbox_unreachable" : "invalid_request";
  return new HandrailError(code, `The guest ended at once (${State.ExitCode ?? "?"}): ${said}`);
}

/**
 * Our server exits with 1 if its settings are wrong, and with 0 if it was told to end. Above 128 a signal
 * ended it.
 */
export function endedFromOutside({
  State: { ExitCode = 0, Error: problem },
}: Pick<Inspected, "State">): boolean {
  return !problem && (ExitCode === 0 || ExitCode > 128);
}
