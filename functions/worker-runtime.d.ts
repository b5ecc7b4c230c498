// The parts of Cloudflare's runtime that functions/worker*.ts use. The bundle runs in the real workerd in the tests of
// that runtime.
declare module "cloudflare:workers" {
  /** Variables, secrets and bindings of the deployment. */
  export const env: Readonly<Record<string, unknown>>;
  /** https://developers.cloudflare.com/durable-objects/api/base/ */
  export class DurableObject {
    constructor(ctx: DurableObjectState, env: unknown);
    protected readonly ctx: DurableObjectState;
    alarm?(): Promise<void>;
  }
}

/** A file that is uploaded as text. */
declare module "*/sandbox.mjs" {
  const text: string;
  export = text;
}

/** https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ */
interface DurableObjectState {
  /** Present if wrangler's configuration names a container for the class. */
  readonly container?: import("./engines/cloudflare/container.ts").PlatformContainer;
  /** No request is handled until `act` has finished. */
  blockConcurrencyWhile<T>(act: () => Promise<T>): Promise<T>;
  readonly storage: {
    get<T>(key: string): Promise<T | undefined>;
    put(key: string, value: unknown): Promise<void>;
    list<T>(options: { prefix: string }): Promise<Map<string, T>>;
    delete(key: string): Promise<boolean>;
    /** Milliseconds since the epoch. */
    setAlarm(at: number): Promise<void>;
    deleteAlarm(): Promise<void>;
    deleteAll(): Promise<void>;
  };
}

/** https://developers.cloudflare.com/workers/runtime-apis/streams/transformstream/#identitytransformstream */
declare class IdentityTransformStream {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
}

/** https://developers.cloudflare.com/workers/runtime-apis/streams/readablestreambyobreader/ */
interface ReadableStreamBYOBReader {
  /** Like `read`, but waits for at least this many bytes, or the end. */
  readAtLeast(
    minBytes: number,
    view: Uint8Array<ArrayBuffer>,
  ): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
}

/** https://developers.cloudflare.com/workers/runtime-apis/streams/transformstream/#fixedlengthstream */
declare class FixedLengthStream extends IdentityTransformStream {
  constructor(bytes: number);
}
