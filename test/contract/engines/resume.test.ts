// Turns that are interrupted, in guests of each engine: `docker` for real, the others on what plays them.
// @module-tag long
import { describeEngines } from "../../harness/engine-stage.ts";
import { describeResume } from "../resume/suite.ts";

// Cloudflare's containers are reached from Workers alone.
describeEngines((name) => describeResume(name === "cloudflare" ? "workerd" : "node", name));
