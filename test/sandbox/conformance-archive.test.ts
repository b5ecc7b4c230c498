import { describeArchives } from "./conformance/archive.ts";
import { describeServer } from "./conformance/target.ts";

describeServer(describeArchives);
