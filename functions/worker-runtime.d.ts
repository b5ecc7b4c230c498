// What functions/worker.ts and functions/worker-body.ts use of Cloudflare. The bundle runs in the real workerd in the tests of that runtime.
declare module "cloudflare:workers" {
  /** Variables, secrets and bindings of the deployment. */
  export const env: Readonly<Record<string, unknown>>;
}

/** https://developers.cloudflare.com/workers/runtime-apis/streams/transformstream/#identitytransformstream */
declare class IdentityTransformStream {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
}

/** https://developers.cloudflare.com/workers/runtime-apis/streams/readablestreambyobreader/ */
interface ReadableStreamBYOBReader {
  /** As `read`, but waits for so many bytes, or the end. */
  readAtLeast(
    minBytes: number,
    view: Uint8Array<ArrayBuffer>,
  ): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
}
