import { describeEngines } from "../harness/engine-stage.ts";
import { describeEngine } from "./engines/suite.ts";

describeEngines(describeEngine);
