// What functions/deno.ts uses of Deno. The bundle runs on the real one in the tests of that runtime.
declare namespace Deno {
  const args: readonly string[];
  const env: { get(name: string): string | undefined; toObject(): Record<string, string> };
  const stdin: { readonly readable: ReadableStream<Uint8Array<ArrayBuffer>> };
  function exit(code: number): never;
  function readFile(path: string | URL): Promise<Uint8Array<ArrayBuffer>>;
  function serve(
    options: { hostname: string; port: number; onListen(address: { hostname: string; port: number }): void },
    handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { finished: Promise<void> };
}
