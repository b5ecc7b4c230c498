// Everything that reads nearly correct calls and words the errors of the others.
import { mendCall } from "./mend-call.ts";
import { nearCalls } from "./near-calls.ts";
import { unreadAnswer } from "./unread.ts";
import { tryAnyway, unparsed } from "./wrong-arguments.ts";

export const mending = { mendCall, nearCalls, tryAnyway, unparsed, unreadAnswer };
