// What every area of the HTTP suite is given.
import type { RunningForge } from "../../fakes/forge/forge-server.ts";
import type { Target } from "../../harness/sse.ts";

/** Only known once the product runs: call it inside a test. */
export type GetTarget = () => Target;

/** The same, with the forge configured as a GitHub. */
export type ForgeTarget = () => Target & { running: RunningForge };

/** An origin other than the app's own that may call it. */
export const listedOrigin = "https://phone.example";
