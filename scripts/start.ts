// `npm start`: the same as `handrail`, but from a clone. It builds missing parts, asks nothing, and stores its state in
// the clone.
import { join } from "node:path";
import { build, dist, root } from "./build.ts";
import { stateHome } from "./launch/places.ts";
import { run } from "./launch/run.ts";
import { getTools } from "./tools/get-tools.ts";

await run(
  {
    root,
    dist,
    command: "npm start --",
    // The second one is used if the clone itself is the workspace.
    stateFolders: [join(root, ".handrail/state"), stateHome(process.env)],
    build,
    getRuntime: (runtime) => void (runtime !== "node" && getTools([runtime])),
  },
  process.argv.slice(2),
  process.env,
);
