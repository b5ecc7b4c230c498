// What every area of the HTTP suite is given.
import type { Target } from "../../harness/sse.ts";

/** Only known once the product runs: call it inside a test. */
export type GetTarget = () => Target;

/** An origin beside the app's own that may call it. */
export const listedOrigin = "https://phone.example";
