import { afterAll, beforeAll, expect } from "vitest";
import { z } from "zod";
import { read } from "../../../src/syscalls/define.ts";
import { type DaemonHere, startDaemonHere } from "../../support/daemon-here.ts";
import { proves } from "../../support/proves.ts";

const twice = read({
  name: "test.echo",
  summary: "Says the id",
  permission: "test.use",
  roles: [],
  needs: [],
  about: "system",
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string() }),
  errors: [],
  http: { method: "GET", path: "/api/test/:id", aliases: ["/test/:id/echo", "/echo/:id"] },
  cli: { positional: ["id"] },
  answer: async (_context, { id }) => ({ id }),
});

let daemon: DaemonHere;
beforeAll(async () => {
  daemon = await startDaemonHere({ moreSyscalls: [twice] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

proves("H23", "a call by an alias of its route: the same answer, and the same gate", async () => {
  const scoped = await daemon.scoped(["session.list"]);
  for (const path of ["/api/test/one", "/test/one/echo", "/echo/one"]) {
    const answer = await daemon.call("GET", path);
    expect([answer.status, await answer.json()]).toEqual([200, { id: "one" }]);
    expect((await daemon.call("GET", path, undefined, scoped)).status).toBe(403);
    expect((await daemon.call("GET", path, undefined, "nmt_wrong")).status).toBe(401);
    const wrong = await daemon.call("POST", path, {});
    expect([wrong.status, await wrong.json()]).toMatchObject([405, { error: { details: { allowed: ["GET"] } } }]);
  }
});

proves("H23", "metrics at the path where Prometheus looks: the same text, with a token only", async () => {
  const answer = await daemon.call("GET", "/metrics");
  expect(answer.headers.get("content-type")).toBe(
    (await daemon.call("GET", "/api/metrics")).headers.get("content-type"),
  );
  expect(await answer.text()).toContain("nomos_sessions");
  expect((await fetch(`${daemon.url}/metrics`)).status).toBe(401);
});
