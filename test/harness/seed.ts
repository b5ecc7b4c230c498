// Property tests try the same inputs in every run, so that a commit passes or fails by its own merit.
// `HANDRAIL_SEED=random` tries others, and a number repeats a failed run, whose report names its seed.
import * as fc from "fast-check";

const { HANDRAIL_SEED: named = "20260422" } = process.env;
if (named !== "random") fc.configureGlobal({ seed: Number(named) });
