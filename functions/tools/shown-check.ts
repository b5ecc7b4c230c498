// The check of a step as every plan tool shows it to the model; a mere text is understood too.
import * as z from "zod/mini";

export const ShownCheck = z.object({ command: z.string(), timeoutMs: z.optional(z.number()) });
