import type { Mode } from "../../../shared/mode.ts";
import type { ModelScript, ModelServer } from "../../fakes/model-server.ts";
import type { Conversation } from "../../harness/conversation.ts";
import type { Product, Runtime } from "../../harness/product.ts";

/** The parameters of a test of turns. */
export interface Stage {
  runtime: Runtime;
  product(): Product;
  model(): ModelServer;
  /** A conversation with its own sandbox. The model plays `script` from now on. */
  open(script: ModelScript, mode?: Mode): Promise<Conversation>;
  /** The text of a file in a conversation's sandbox; undefined if it does not exist. */
  file(conversation: Conversation, path: string): Promise<string | undefined>;
}
