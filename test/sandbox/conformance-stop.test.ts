import { describeStops } from "./conformance/stop.ts";
import { describeServer } from "./conformance/target.ts";

describeServer(describeStops);
