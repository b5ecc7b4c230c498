// The sidecar that workerd starts beside each local container, where its own image cannot be had: it passes connections to
// the container's ports on. Nothing of the traffic out of the container is intercepted. What workerd asks of it is in its
// src/workerd/server/container-client.c++.
import { createServer } from "node:http";
import { connect } from "node:net";

const port = 39001;

const server = createServer((request, response) => {
  request.resume();
  // A certificate, which is put into containers whose HTTPS is intercepted.
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
