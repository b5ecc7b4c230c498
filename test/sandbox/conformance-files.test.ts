import { describeFiles } from "./conformance/files.ts";
import { describeMachines } from "./conformance/target.ts";

describeMachines(describeFiles);
