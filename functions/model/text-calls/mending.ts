// The entrance to the code that reads nearly correct calls and words the errors of the others. A file of its own in the
// worker, loaded with the first answer that needs it.
import { mendCall } from "./mend-call.ts";
import { nearCalls } from "./near-calls.ts";
import { unreadAnswer } from "./unread.ts";
import { tryAnyway, unparsed } from "./wrong-arguments.ts";

export const mending = { mendCall, nearCalls, tryAnyway, unparsed, unreadAnswer };
