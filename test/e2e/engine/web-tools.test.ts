import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { ended, eventsOf, expectOk, newFolder, PATIENCE, prompt, start } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
let server: Server;
let port = 0;
let asked = 0;
beforeAll(async () => {
  server = createServer((_request, response) => {
    asked += 1;
    response.setHeader("content-type", "text/html").end("<title>Hours</title><h1>Open</h1><p>on <b>Monday</b></p>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  server.close();
});

async function play(script: string, body: object = {}) {
  const cwd = await newFolder();
  const { id } = await start(daemon, { adapter: "nomos", model: "demo/script", sandbox: "off", cwd, ...body });
  const { turnId } = await prompt(daemon, id, script);
  await ended(daemon, id, turnId);
  const results = await eventsOf(daemon, id, `types=tool.ended&turnId=${turnId}`);
  const intended = await eventsOf(daemon, id, `types=effect.intended&turnId=${turnId}`);
  return { text: results.map(({ data }) => (data["output"] as { text: string }).text).join("\n"), intended };
}
const configure = async (config: object) => expectOk(await daemon.call("PUT", "/api/config", { config }));
const page = (host = "127.0.0.1") => `call web_fetch {"url":"http://${host}:${port}/"}`;

proves("WEB-1", "a session of the engine reaches a private page only after a person opened it", async () => {
  expect((await play(page())).text).toContain("web_refused");
  expect(asked).toBe(0);
  await configure({ web: { allow: [`127.0.0.1:${port}`] } });
  const { text, intended } = await play(page());
  expect(text).toContain("# Open\n\non **Monday**");
  expect(intended.map(({ data }) => data["kind"])).toEqual(["fetch"]);
});

proves("WEB-1", "a rule against a host holds for every spelling of it", async () => {
  const rules = [{ id: "not-here", effect: "deny", verb: "tool.fetch", resource: "session/*/host/127.0.0.1" }];
  await configure({ policy: { rules } });
  const before = asked;
  for (const spelling of ["127.0.0.1", "0x7f.1", "2130706433", "127.1.", "①②⑦.0.0.1"]) await play(page(spelling));
  expect(asked).toBe(before);
  await configure({ policy: null });
});

proves.skipIf(!needs("bwrap"))("WEB-4", "a strict session gets out only to its own hosts", async () => {
  const before = asked;
  await play(page(), { sandbox: "strict" });
  expect((await play(page(), { sandbox: "strict", network: { allow: ["example.org"] } })).text).toContain(
    "web_refused",
  );
  expect(asked).toBe(before);
  const opened = { sandbox: "strict", network: { allow: [`127.0.0.1:${port}`] } };
  expect((await play(page(), opened)).text).toContain("**Monday**");
});
