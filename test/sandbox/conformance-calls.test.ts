import { describeCalls } from "./conformance/calls.ts";
import { describeServer } from "./conformance/target.ts";

describeServer(describeCalls);
