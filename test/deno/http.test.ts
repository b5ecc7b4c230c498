import { describeHttp } from "../contract/http/suite.ts";

describeHttp("deno");
