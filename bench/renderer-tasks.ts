import type { Page } from "playwright-core";
import { z } from "zod";

const TraceEvent = z.object({
  name: z.string(),
  ph: z.string(),
  tid: z.number(),
  pid: z.number(),
  ts: z.number(),
  dur: z.number().optional(),
  args: z.record(z.string(), z.unknown()).optional(),
});
type TraceEvent = z.infer<typeof TraceEvent>;

/** Kinds of work that a page pays for; raster and the compositor have threads of their own. */
const WORK = new Set([
  ...["FunctionCall", "EvaluateScript", "EventDispatch", "TimerFire", "FireAnimationFrame", "RunMicrotasks"],
  ...[
    "UpdateLayoutTree",
    "Layout",
    "PrePaint",
    "Paint",
    "Layerize",
    "HandlePostMessage",
    "v8.run",
    "MinorGC",
    "MajorGC",
  ],
]);
const LEAST_MS = 0.1;

/** Milliseconds of script, style, layout and paint in each task of the page's main thread while `during` runs. */
export async function taskTimes(page: Page, during: () => Promise<unknown>): Promise<readonly number[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const one of value) {
      const parsed = TraceEvent.safeParse(one);
      if (parsed.success) events.push(parsed.data);
    }
  });
  const complete = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()));
  const categories = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel", "v8"];
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: categories },
  });
  await during();
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  return workPerTask(events);
}

function workPerTask(events: readonly TraceEvent[]): readonly number[] {
  const threads = new Set(
    events
      .filter(({ name }) => name === "FireAnimationFrame" || name === "UpdateLayoutTree")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const onMain = events.filter(({ pid, tid, ph }) => ph === "X" && threads.has(`${pid} ${tid}`));
  const tasks = onMain.filter(({ name }) => name === "RunTask" || name === "ThreadControllerImpl::RunTask");
  const work = onMain.filter(({ name }) => WORK.has(name)).toSorted((one, other) => one.ts - other.ts);
  const byStart = tasks.toSorted((one, other) => one.ts - other.ts);
  let at = 0;
  return byStart.flatMap(({ ts, dur = 0 }) => {
    while ((work[at]?.ts ?? Number.POSITIVE_INFINITY) < ts) at += 1;
    let sum = 0;
    let coveredTo = ts;
    for (let next = work[at]; next !== undefined && next.ts < ts + dur; next = work[at]) {
      const end = next.ts + (next.dur ?? 0);
      // Work inside other work is counted once.
      sum += Math.max(0, end - Math.max(coveredTo, next.ts));
      coveredTo = Math.max(coveredTo, end);
      at += 1;
    }
    const ms = sum / 1000;
    return ms < LEAST_MS ? [] : [ms];
  });
}
