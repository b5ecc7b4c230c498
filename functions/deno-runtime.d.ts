// The parts of Deno that functions/deno.ts uses. The bundle runs on the real Deno in the tests of that runtime.
declare namespace Deno {
  const args: readonly string[];
  const env: { get(name: string): string | undefined; toObject(): Record<string, string> };
  const stdin: { readonly readable: ReadableStream<Uint8Array<ArrayBuffer>> };
  function exit(code: number): never;
  function readFile(path: string | URL): Promise<Uint8Array<ArrayBuffer>>;
  function writeTextFile(path: string, text: string, options: { mode: number }): Promise<void>;
  function rename(from: string, to: string): Promise<void>;
  function serve(
    options: { hostname: string; port: number; onListen(address: { hostname: string; port: number }): void },
    handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { finished: Promise<void> };
}

declare module "node:zlib" {
  interface Gzip {
    on(event: "data", listener: (bytes: Uint8Array) => void): void;
    on(event: "error", listener: (error: Error) => void): void;
    on(event: "end", listener: () => void): void;
    removeAllListeners(event: "data" | "end"): Gzip;
    write(chunk: Uint8Array | undefined, done: (error?: Error | null) => void): boolean;
    end(): void;
    destroy(): void;
  }
  export const constants: { Z_SYNC_FLUSH: number };
  export function createGzip(options: { level: number; flush: number }): Gzip;
}
