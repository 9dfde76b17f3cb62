import { expect } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import { eventsOf, expectOk, turn } from "./talk.ts";

/** A driver that makes the requested calls with its own token, and says the answers. */
export const CALLER = `export default async ({ input, say }) => {
  const answers = [];
  for (const [method, path, body, headers = {}] of JSON.parse(input)) {
    const response = await fetch(process.env.NOMOS_URL + path, {
      method,
      headers: { authorization: "Bearer " + process.env.NOMOS_TOKEN, "content-type": "application/json", ...headers },
      ...(body === undefined || body === null ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5000),
    });
    answers.push([response.status, response.headers.get("content-type")?.includes("json") ? await response.json() : "stream"]);
    await new Promise((resolve) => setTimeout(resolve, 6));
  }
  await say(JSON.stringify(answers));
};`;

export type Attempt = readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>];

/** The answer that a session driven by `CALLER` gets. */
export async function callAs(
  daemon: TestDaemon,
  id: string,
  calls: readonly Attempt[],
): Promise<readonly [number, unknown][]> {
  expect(await turn(daemon, id, JSON.stringify(calls))).toMatchObject({ outcome: "completed" });
  const event = (await eventsOf(daemon, id, "types=message.completed")).at(-1);
  const blob = event?.data["blob"];
  if (typeof blob !== "string") return JSON.parse(String(event?.data["text"]));
  return JSON.parse(expectOk(await daemon.call<{ content: string }>("GET", `/api/blobs/${blob}`)).content);
}
