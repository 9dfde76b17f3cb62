import * as z from "zod";
import type { Services } from "../services.ts";

const Stuck = z.object({
  id: z.string().describe("stream and name of the item: `stream#name`"),
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  since: z.string(),
  tries: z.number().int(),
  nextTryAt: z.string(),
});

/** Pending work: alarms, items that could not start, and lists that are still being filled. */
export const WaitingStatus = z.object({
  alarms: z.object({
    set: z.number().int(),
    due: z.number().int().describe("counted up to a thousand"),
    overdue: z.number().int().describe("alarms late by more than a minute"),
    lateMs: z.number().describe("how late the oldest alarm is"),
    stuck: z.array(Stuck).describe("alarms that are due but failed; Nomos tries again"),
  }),
  notStarted: z.array(Stuck).describe("items that could not be started although their lane has room"),
  unfilledLists: z.array(z.string()).describe("new lists that are still being filled from the log"),
});

const SHOWN_MAX = 100;

export async function waitingStatus({
  waiting,
  store,
}: Pick<Services, "store" | "waiting">): Promise<z.input<typeof WaitingStatus>> {
  const alarms = await waiting.alarms();
  return {
    alarms: { ...alarms, stuck: alarms.stuck.slice(0, SHOWN_MAX).map((one) => ({ ...one })) },
    notStarted: waiting
      .stuckItems()
      .slice(0, SHOWN_MAX)
      .map((one) => ({ ...one })),
    unfilledLists: [...(await store.unfilledLists())],
  };
}

/** A list that is being filled is no fault: it completes by itself. */
export function isInTime({ alarms, notStarted }: z.input<typeof WaitingStatus>): boolean {
  return alarms.stuck.length === 0 && notStarted.length === 0;
}
