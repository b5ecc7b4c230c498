// Interrupted turns in guests of each engine: a real Docker, fakes of the others.
// @module-tag long
import { describeEngines } from "../../harness/engine-stage.ts";
import { describeResume } from "../resume/suite.ts";

// Only Workers can reach Cloudflare's containers.
describeEngines((name) => describeResume(name === "cloudflare" ? "workerd" : "node", name));
