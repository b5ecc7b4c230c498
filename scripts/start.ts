// `npm start`: the same as `handrail`, from a clone. Builds missing parts, asks nothing, and keeps its state in the clone.
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
    // The second where the clone itself is the folder to work in.
    stateFolders: [join(root, ".handrail/state"), stateHome(process.env)],
    build,
    getRuntime: (runtime) => void (runtime !== "node" && getTools([runtime])),
  },
  process.argv.slice(2),
  process.env,
);
