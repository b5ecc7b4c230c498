import type { Conversation } from "../../harness/conversation.ts";
import type { Product, Runtime } from "../../harness/product.ts";
import type { SandboxWire } from "../../harness/sandbox-wire.ts";
import type { Stage } from "../turns/stage.ts";

/** What a test of interrupted turns is given. */
export interface ResumeStage extends Stage {
  runtime: Runtime;
  /** Another process of the same runtime over the same sandbox server; nothing else is shared. */
  other(): Product;
  /** Another one, for a test that kills or freezes it. */
  another(): Promise<Product>;
  wire(): SandboxWire;
  /** As `open`, while another test's script keeps playing. */
  openSandbox(): Promise<Conversation>;
  /** Keys of a turn's calls that have their result in the journal. */
  results(turn: { sandboxId: string; turnId: string }): Promise<string[]>;
  /** Keys of a turn's calls that have begun. */
  begun(turn: { sandboxId: string; turnId: string }): Promise<string[]>;
  /** Asks a sandbox's server directly, past every edge and the wire. */
  ask(sandboxId: string, path: string, init?: RequestInit): Promise<Response>;
  /** Makes the file `go` without asking the server: a call would wait for the command that waits for the file. */
  go(sandboxId: string): Promise<void>;
}
