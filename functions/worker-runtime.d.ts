// What functions/worker.ts uses of Cloudflare. The bundle runs in the real workerd in the tests of that runtime.
declare module "cloudflare:workers" {
  /** Variables, secrets and bindings of the deployment. */
  export const env: Readonly<Record<string, unknown>>;
}
