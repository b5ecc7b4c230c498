// The demo's only decision: returns the next reply to a request. The same request always gets the same reply.
import { type ChatRequest, type Reply, readConversation, reply } from "./conversation.ts";
import { workNext } from "./executing.ts";
import { whatItIs } from "./explain.ts";
import { planNext } from "./planning.ts";

/** It plans if `exit_plan` is offered and works if `edit_file` is; without tools it only explains itself. */
export function nextReply(request: ChatRequest): Reply {
  const conversation = readConversation(request);
  if (conversation.tools.has("exit_plan")) return planNext(conversation);
  return conversation.tools.has("edit_file") ? workNext(conversation) : reply(whatItIs);
}
