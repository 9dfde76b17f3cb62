import { expect, test } from "vitest";
import { type CallProgress, createClient } from "../../src/client/index.ts";
import { startDaemon } from "../support/daemon.ts";

test("a caller who accepts server-sent events is told how far a call is, then the answer", async () => {
  const daemon = await startDaemon();
  await daemon.cli("run", "say one");
  const answer = await fetch(`${daemon.url}/api/audit/verify`, {
    headers: { authorization: `Bearer ${daemon.token}`, accept: "text/event-stream" },
  });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const frames = (await answer.text()).trimEnd().split("\n\n");
  expect(frames[0]).toMatch(/^event: progress\ndata: \{"message":"checking /);
  const last = /^event: answer\ndata: (.*)$/.exec(frames.at(-1) ?? "")?.[1] ?? "";
  expect(JSON.parse(last)).toMatchObject({ ok: true, problems: [] });
});

test("the client reports progress and returns the same answer as without", async () => {
  const daemon = await startDaemon();
  const client = createClient({ url: daemon.url, token: daemon.token });
  const reports: CallProgress[] = [];
  const verified = await client.call("audit.verify", {}, { progress: (one) => reports.push(one) });
  expect(reports.length).toBeGreaterThan(0);
  expect(verified).toMatchObject({ ok: true, problems: [] });
  const { sessions } = await client.call("session.list", {}, { progress: (one) => reports.push(one) });
  expect(sessions).toEqual([]);
});

test("a call that fails before it reports is refused as any other", async () => {
  const daemon = await startDaemon();
  const client = createClient({ url: daemon.url, token: daemon.token });
  const progress = () => undefined;
  await expect(client.call("session.show", { id: "nobody" }, { progress })).rejects.toMatchObject({
    code: "session_not_found",
    status: 404,
  });
});
