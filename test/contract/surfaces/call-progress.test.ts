import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { awaitedAnswer } from "../../../src/client/awaited-answer.ts";
import { NomosError } from "../../../src/contract/index.ts";
import { type CallProgress, createCallProgress } from "../../../src/surfaces/http/call-progress.ts";
import { whenTestEnds } from "../../support/test-end.ts";

async function answered(serve: (progress: CallProgress) => void, accept = "text/event-stream") {
  const server = createServer((request, response) => {
    const progress = createCallProgress(response, request.headers.accept);
    if (progress === null) response.end("none");
    else serve(progress);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenTestEnds(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/`, { headers: { accept } });
}

test("an error after a report arrives as an error with its code, status and details", async () => {
  const response = await answered((progress) => {
    progress.report({ message: "copying", done: 1, total: 2 });
    progress.fail(new NomosError("disk_full", { path: "/x" }));
  });
  const reports: unknown[] = [];
  await expect(awaitedAnswer(response, (one) => reports.push(one))).rejects.toMatchObject({
    code: "disk_full",
    status: 507,
    details: { path: "/x" },
  });
  expect(reports).toEqual([{ message: "copying", done: 1, total: 2 }]);
});

test("a connection that ends before the answer is a lost daemon", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end('event: progress\ndata: {"message":"copying"}\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenTestEnds(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  await expect(awaitedAnswer(response, () => undefined)).rejects.toMatchObject({ code: "daemon_unreachable" });
});

test("many reports in a moment are sent once; a caller who does not accept them gets none", async () => {
  const response = await answered((progress) => {
    for (let done = 0; done < 1000; done += 1) progress.report({ message: "copying", done, total: 1000 });
    progress.answer({ ok: true });
  });
  expect((await response.text()).split("event: progress").length).toBeLessThan(20);
  expect(await (await answered(() => undefined, "application/json")).text()).toBe("none");
});
