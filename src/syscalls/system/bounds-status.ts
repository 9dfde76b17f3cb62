import * as z from "zod";
import type { Services } from "../services.ts";

/** Storage used, its limits, and free space. */
export const BoundsStatus = z.object({
  usage: z.object({
    events: z.number().int(),
    eventBytes: z.number().int().describe("stored bytes of headers and data of all events"),
    blobBytes: z.number().int().describe("stored bytes of all blobs and artifacts, compressed, each counted once"),
    limit: z.number().int().describe("`limits.homeBytes`"),
    sessionLimit: z.number().int().describe("`limits.sessionBytes`"),
  }),
  disk: z.object({
    freeBytes: z.number(),
    totalBytes: z.number(),
    limit: z.number().int().describe("`limits.diskFreeBytes`"),
    level: z
      .enum(["enough", "low", "scarce"])
      .describe("low: new sessions and prompts are refused; scarce: running turns are ended too"),
  }),
  wal: z.object({
    bytes: z.number().int(),
    limit: z.number().int().describe("`limits.walBytes`"),
    problem: z.string().nullable().describe("why the write-ahead log is over its limit"),
  }),
});

export async function boundsStatus({
  store,
  bounds,
}: Pick<Services, "bounds" | "store">): Promise<z.input<typeof BoundsStatus>> {
  const { events, bytes, blobBytes } = await store.usage();
  const { homeBytes, sessionBytes, diskFreeBytes, walBytes } = bounds.limits();
  const wal = bounds.wal();
  return {
    usage: { events, eventBytes: bytes, blobBytes, limit: homeBytes, sessionLimit: sessionBytes },
    disk: { ...bounds.disk(), limit: diskFreeBytes },
    wal: { ...wal, limit: walBytes },
  };
}
