import { describeHttp } from "./http/suite.ts";

describeHttp("node");
