import type { Conversation } from "../../harness/conversation.ts";
import type { Product, Runtime } from "../../harness/product.ts";
import type { SandboxWire } from "../../harness/sandbox-wire.ts";
import type { Stage } from "../turns/stage.ts";

/** The parameters of a test of interrupted turns. */
export interface ResumeStage extends Stage {
  runtime: Runtime;
  /** Another process of the same runtime, which shares only the sandbox server. */
  other(): Product;
  /** A further process, for a test that kills or freezes it. */
  another(): Promise<Product>;
  wire(): SandboxWire;
  /** Like `open`, while another test's script keeps playing. */
  openSandbox(): Promise<Conversation>;
  /** Keys of the turn's calls that have a result in the journal. */
  results(turn: { sandboxId: string; turnId: string }): Promise<string[]>;
  /** Keys of the turn's calls that have begun. */
  begun(turn: { sandboxId: string; turnId: string }): Promise<string[]>;
  /** Sends a request directly to a sandbox's server, without an edge or the wire. */
  ask(sandboxId: string, path: string, init?: RequestInit): Promise<Response>;
  /**
   * Makes the file `go` without asking the server, because a call would wait for the command that waits for
   * the file.
   */
  go(sandboxId: string): Promise<void>;
}
