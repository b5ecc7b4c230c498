import type { Conversation } from "../../harness/conversation.ts";
import type { Product, Runtime } from "../../harness/product.ts";
import type { SandboxWire } from "../../harness/sandbox-wire.ts";
import type { Stage } from "../turns/stage.ts";

/** What a test of interrupted turns is given. */
export interface ResumeStage extends Stage {
  runtime: Runtime;
  /** Another process of the same runtime over the same sandbox server; nothing else is shared. */
  other(): Product;
  /** One more, for a test that kills or freezes it. */
  another(): Promise<Product>;
  wire(): SandboxWire;
  /** As `open`, while another test's script plays on. */
  openSandbox(): Promise<Conversation>;
  /** Keys of the calls of a turn that have their result in the journal. */
  results(turn: { sandboxId: string; turnId: string }): Promise<string[]>;
  /** Keys of the calls of a turn that have begun. */
  begun(turn: { sandboxId: string; turnId: string }): Promise<string[]>;
  /** Asks the sandbox server of a sandbox, past every edge and the wire. */
  ask(sandboxId: string, path: string, init?: RequestInit): Promise<Response>;
  /** Makes the file `go` behind the server's back: a call would wait for the command that waits for it. */
  go(sandboxId: string): Promise<void>;
}
