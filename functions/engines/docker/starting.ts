// Starts a container, and words the error if it ends at once.
import { HandrailError } from "../../../shared/errors.ts";
import type { DockerApi, Inspected } from "./docker-api.ts";

/** Ports in a row that may be taken: two engines on one machine begin at the same one. */
const portTries = 100;

/**
 * The engine takes port after port, and says where one belongs to another program of the machine. While another edge makes the
 * network too, and removes its own again, the name is ambiguous.
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
  // Pieces begin with eight bytes: https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach
  const words = Array.from(log, (char) => (char < " " || char === "\ufffd" ? " " : char)).join("");
  const said = State.Error || words.trim().slice(-300) || "it said nothing";
  const code = endedFromOutside({ State }) ? "sandbox_unreachable" : "invalid_request";
  return new HandrailError(code, `The guest ended at once (${State.ExitCode ?? "?"}): ${said}`);
}

/** Our server says 1 where something is wrong with its settings, and 0 where it was told to end; 128 and more are signals. */
export function endedFromOutside({
  State: { ExitCode = 0, Error: problem },
}: Pick<Inspected, "State">): boolean {
  return !problem && (ExitCode === 0 || ExitCode > 128);
}
