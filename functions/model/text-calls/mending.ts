// The entrance to what reads calls that are nearly right, and says what was wrong with the others. One file of the worker's,
// loaded with the first answer that needs it.
import { mendCall } from "./mend-call.ts";
import { nearCalls } from "./near-calls.ts";
import { unreadAnswer } from "./unread.ts";
import { tryAnyway, unparsed } from "./wrong-arguments.ts";

export const mending = { mendCall, nearCalls, tryAnyway, unparsed, unreadAnswer };
