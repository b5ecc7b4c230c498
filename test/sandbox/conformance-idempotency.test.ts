import { describeKeys } from "./conformance/idempotency.ts";
import { describeServer } from "./conformance/target.ts";

describeServer(describeKeys);
