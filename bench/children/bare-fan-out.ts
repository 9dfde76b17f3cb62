/** Writes each posted body to every open response. The baseline of the fan-out. */
import { createServer, type ServerResponse } from "node:http";

const readers = new Set<ServerResponse>();
const server = createServer((asked, answer) => {
  if (asked.method === "GET") {
    answer.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    answer.flushHeaders();
    readers.add(answer);
    answer.on("close", () => readers.delete(answer));
    return;
  }
  let body = "";
  asked.setEncoding("utf8");
  asked.on("data", (chunk: string) => {
    body += chunk;
  });
  asked.on("end", () => {
    for (const reader of readers) reader.write(body);
    answer.end("{}");
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" && address !== null ? address.port : 0);
});
process.on("SIGTERM", () => process.exit(0));
