import { describeEngines } from "../harness/engine-stage.ts";
import { describeLocalCloudflare } from "../harness/local-cloudflare.ts";
import { describeEngine } from "./engines/suite.ts";

describeEngines((name) => describeEngine(name));
describeLocalCloudflare((open) => describeEngine("cloudflare", open, " in Docker"));
