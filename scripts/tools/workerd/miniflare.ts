// Miniflare, which brings workerd, from the lockfile beside this file: the one place that imports it.
// biome-ignore lint/performance/noBarrelFile: packages of this folder can be imported from nowhere else.
export { Log, LogLevel, Miniflare } from "miniflare";
