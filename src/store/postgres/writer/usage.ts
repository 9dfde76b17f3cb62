import { bytes, number } from "../../log/encoding.ts";
import { bigintArray, byteaArray } from "../connection/arrays.ts";
import type { Connection } from "../connection/connection.ts";
import { utf8 } from "../connection/decode.ts";
import type { Sql } from "../reads/event-pages.ts";
import type { Put } from "../tables/rows.ts";
import type { Plan } from "./plan.ts";

/**
 * Writes the usage of streams and of the whole log after the batch. It was read under the head's lock, so nobody else
 * changes it.
 */
export const putUsage =
  ({ streamHeads, home }: Plan): Put =>
  (param) => {
    const rows = [{ no: 0, account: 0, usage: home, familyBytes: 0 }, ...streamHeads.values()];
    const numbers = (pick: (row: (typeof rows)[number]) => number) => `${param(bigintArray(rows.map(pick)))}::bigint[]`;
    return `INSERT INTO usage(stream, account, events, bytes, blob_bytes, family_bytes) SELECT * FROM unnest(
      ${numbers(({ no }) => no)}, ${numbers(({ account }) => account)},
      ${numbers(({ usage }) => usage.events)}, ${numbers(({ usage }) => usage.bytes)}, ${numbers(({ usage }) => usage.blobBytes)},
      ${numbers(({ familyBytes }) => familyBytes)})
      ON CONFLICT (stream) DO UPDATE SET events = excluded.events, bytes = excluded.bytes, blob_bytes = excluded.blob_bytes,
        family_bytes = excluded.family_bytes`;
  };

export const putBrought =
  (brought: Plan["brought"]): Put =>
  (param) =>
    `INSERT INTO blob_sizes(blob, stream, bytes) SELECT * FROM unnest(
      ${param(byteaArray(brought.map(({ blob }) => Buffer.from(blob, "hex"))))}::bytea[],
      ${param(bigintArray(brought.map(({ stream }) => stream)))}::bigint[],
      ${param(bigintArray(brought.map((entry) => entry.bytes)))}::bigint[])`;

/** What an erasure frees, measured before the data is deleted. */
export interface Erased {
  readonly stream: number;
  readonly bytes: number;
  readonly blobs: Buffer;
}

export async function measureErased(
  { query }: Connection,
  { seqs, events }: NonNullable<Plan["erasure"]>,
): Promise<Erased> {
  const [found] = await query(
    "SELECT min(stream) AS stream, coalesce(sum(length(data)), 0)::bigint AS bytes FROM events WHERE seq = ANY($1::bigint[])",
    bigintArray(seqs),
  );
  const blobs = byteaArray(events.flatMap((event) => event.blobs.map((blob) => Buffer.from(blob, "hex"))));
  return { stream: number(found?.["stream"] ?? 0), bytes: number(found?.["bytes"]), blobs };
}

/** A blob that other events still name is counted for the first of them from now on. */
export async function dropFromUsage({ query }: Connection, erased: Erased): Promise<void> {
  const change = async (stream: number, by: number, blobs: number): Promise<void> => {
    await query(
      "UPDATE usage SET bytes = bytes + $2::bigint, blob_bytes = blob_bytes + $3::bigint WHERE stream IN ($1::bigint, 0)",
      stream,
      by,
      blobs,
    );
    await query(
      "UPDATE usage SET family_bytes = family_bytes + $2::bigint WHERE stream = (SELECT account FROM usage WHERE stream = $1::bigint)",
      stream,
      by + blobs,
    );
  };
  await change(erased.stream, -erased.bytes, 0);
  for (const row of await query(HEIRS, erased.blobs, erased.stream)) {
    const [blob, size] = [Buffer.from(bytes(row["blob"])), number(row["bytes"])];
    await change(erased.stream, 0, -size);
    if (row["heir"] === null) await query("DELETE FROM blob_sizes WHERE blob = $1", blob);
    else {
      await query("UPDATE blob_sizes SET stream = $2::bigint WHERE blob = $1", blob, number(row["heir"]));
      await change(number(row["heir"]), 0, size);
    }
  }
}

const HEIRS = `
  SELECT z.blob, z.bytes, (SELECT e.stream FROM event_blobs n JOIN events e ON e.seq = n.seq
    WHERE n.blob = z.blob ORDER BY n.seq LIMIT 1) AS heir
  FROM blob_sizes z WHERE z.blob = ANY($1::bytea[]) AND z.stream = $2::bigint`;

/** Describes where the usage tables differ from the log. One statement for each check, so that each sees one moment. */
export async function usageProblems(sql: Sql): Promise<readonly string[]> {
  const streams = await sql(STREAMS);
  const blobs = await sql(BLOBS);
  const families = await sql(FAMILIES);
  const home = await sql(HOME);
  return [
    ...streams.map((row) => utf8(row["name"])),
    ...blobs.map((row) => `blob ${Buffer.from(bytes(row["blob"])).toString("hex")}`),
    ...families.map((row) => `forks of ${utf8(row["name"])}`),
    ...(home.length === 0 ? ["home"] : []),
  ];
}

const STREAMS = `
  SELECT s.name FROM streams s LEFT JOIN usage u ON u.stream = s.no
  LEFT JOIN (SELECT stream, count(*) AS events, sum(length(header) + coalesce(length(data), 0)) AS bytes
             FROM events GROUP BY stream) t ON t.stream = s.no
  LEFT JOIN (SELECT stream, sum(bytes) AS bytes FROM blob_sizes GROUP BY stream) b ON b.stream = s.no
  WHERE (u.events, u.bytes, u.blob_bytes) IS DISTINCT FROM (t.events, t.bytes::bigint, coalesce(b.bytes, 0)::bigint)`;
const FAMILIES = `
  SELECT s.name FROM streams s JOIN usage u ON u.stream = s.no
  LEFT JOIN (SELECT account, sum(bytes + blob_bytes) AS bytes FROM usage WHERE stream <> 0 GROUP BY account) f
  ON f.account = s.no WHERE u.family_bytes <> coalesce(f.bytes, 0)`;
const BLOBS = `
  SELECT z.blob FROM blob_sizes z JOIN blobs b ON b.blob = z.blob WHERE octet_length(b.packed) <> z.bytes`;
const HOME = `
  SELECT 1 FROM usage h, (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes,
    coalesce(sum(blob_bytes), 0) AS blob_bytes FROM usage WHERE stream <> 0) t
  WHERE h.stream = 0 AND h.events = t.events AND h.bytes = t.bytes AND h.blob_bytes = t.blob_bytes`;
