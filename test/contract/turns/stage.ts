import type { Mode } from "../../../shared/mode.ts";
import type { ModelScript, ModelServer } from "../../fakes/model-server.ts";
import type { Conversation } from "../../harness/conversation.ts";
import type { Product, Runtime } from "../../harness/product.ts";

/** What a test of turns is given. */
export interface Stage {
  runtime: Runtime;
  product(): Product;
  model(): ModelServer;
  /** A conversation with a sandbox of its own, and the script that the model plays from now on. */
  open(script: ModelScript, mode?: Mode): Promise<Conversation>;
  /** Text of a file in a conversation's sandbox; undefined where there is none. */
  file(conversation: Conversation, path: string): Promise<string | undefined>;
}
