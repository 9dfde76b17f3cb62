import type { Client } from "../client/index.ts";

/** The position before a session's last N events: following from there shows those and then new ones. */
export async function beforeLast(client: Client, id: string, events: number): Promise<number> {
  const page = await client.call("session.events", { id, order: "desc", limit: events });
  const oldest = page.events.at(-1);
  return oldest === undefined ? 0 : oldest.seq - 1;
}
