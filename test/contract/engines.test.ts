import { engineTargets } from "../harness/engine-stage.ts";
import { describeEngine } from "./engines/suite.ts";

for (const name of engineTargets()) describeEngine(name);
