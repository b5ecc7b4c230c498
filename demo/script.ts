// The demo's whole mind: a request in, the next reply out. The same request always gets the same reply.
import { type ChatRequest, type Reply, readConversation, reply } from "./conversation.ts";
import { workNext } from "./executing.ts";
import { whatItIs } from "./explain.ts";
import { planNext } from "./planning.ts";

/** Plan mode is where `exit_plan` is offered, work where `edit_file` is; without tools it only explains itself. */
export function nextReply(request: ChatRequest): Reply {
  const conversation = readConversation(request);
  if (conversation.tools.has("exit_plan")) return planNext(conversation);
  return conversation.tools.has("edit_file") ? workNext(conversation) : reply(whatItIs);
}
