// Replaces the sidecar that workerd starts beside each local container, for machines that cannot get the real image. It
// passes connections on to the container's ports, and does not intercept the container's outgoing traffic. workerd's
// src/workerd/server/container-client.c++ shows the requests that workerd makes to it.
import { createServer } from "node:http";
import { connect } from "node:net";

const port = 39001;

const server = createServer((request, response) => {
  request.resume();
  // workerd puts this certificate into containers whose HTTPS it intercepts.
  response.end(request.url === "/ca" ? "none" : "");
});

server.on("connect", (request, client) => {
  const [, host, to] = /^(.+):(\d+)$/.exec(request.headers["x-dst-addr"] ?? "") ?? [];
  const guest = connect(Number(to), host);
  const end = () => {
    client.destroy();
    guest.destroy();
  };
  client.on("error", end);
  guest.once("error", () => client.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"));
  guest.once("connect", () => {
    guest.on("error", end);
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    client.pipe(guest).pipe(client);
  });
});

server.listen(port, "0.0.0.0");
