/** `JSON`: a server with one route that answers with this text. The baseline of `GET /sessions/:id`. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const body: Record<string, string> = JSON.parse(process.argv[2] ?? "{}");
const app = new Hono();
app.get("/sessions/:id", (c) => c.json(body));
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));
process.on("SIGTERM", () => {
  server.close();
  process.exit(0);
});
