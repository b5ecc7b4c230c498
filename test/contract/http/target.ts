// The parameters of every area of the HTTP suite.
import type { RunningForge } from "../../fakes/forge/forge-server.ts";
import type { Target } from "../../harness/sse.ts";

/** The target is known only once the product runs, so call this inside a test. */
export type GetTarget = () => Target;

/** The same with a forge, which is configured as a GitHub. */
export type ForgeTarget = () => Target & { running: RunningForge };

/** An origin other than the app's own that is allowed to call it. */
export const listedOrigin = "https://phone.example";
