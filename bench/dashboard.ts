import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { z } from "zod";
import { type RunningDaemon, startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, median, percentile } from "./harness.ts";
import { taskTimes } from "./renderer-tasks.ts";

const SESSIONS = 1_000;
const CHROMIUM = "/usr/bin/chromium";
const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
/** What changes together, and how often: a fleet at work. */
const CHANGED_AT_ONCE = 20;
const CHANGE_EVERY_MS = 100;
const BYTES_MAX = 200 * 1024;
const Links = z.object({ url: z.string() });
const Listed = z.object({ sessions: z.array(z.object({ id: z.string() })) });

/** The dashboard in a real browser, with a thousand sessions that keep changing. */
export const dashboardBenchmark: Benchmark = {
  name: "dashboard",
  run: async ({ product, homes, quick }) => {
    const made = await product();
    if (!existsSync(CHROMIUM)) return { skipped: `there is no ${CHROMIUM}: apt-get install -y chromium` };
    const { home } = await homes.sessions(SESSIONS);
    await using daemon = await startDaemon(made, home);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    try {
      const bytes = await firstLoadBytes(join(made.root, "dist", "web"));
      const paints = await firstPaints(browser, daemon, quick ? 3 : 9);
      const fleet = await withFleet(browser, daemon, quick ? 5_000 : 20_000);
      return [sizeFigure(bytes), paintFigure(paints), ...fleetFigures(fleet)];
    } finally {
      await browser.close();
    }
  },
};

async function signedIn(browser: Browser, daemon: RunningDaemon): Promise<Page> {
  const { url } = Links.parse(await daemon.api.call("POST", "/api/dashboard/links", {}));
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(url);
  await page.locator(".now-row").first().waitFor();
  return page;
}

/** Compressed, as a browser asks for it: the document, the script, the styles, what the first page loads, and the hub. */
async function firstLoadBytes(folder: string): Promise<number> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".gz"));
  const isLater = (name: string): boolean => /details|highlight|audit|system|session|files|compare|start/.test(name);
  const sizes = files.filter((name) => !isLater(name)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

interface Paints {
  readonly useful: readonly number[];
  readonly bare: readonly number[];
}

/** From the navigation to the first row; beside it a page that only says ok. */
async function firstPaints(browser: Browser, daemon: RunningDaemon, rounds: number): Promise<Paints> {
  const page = await signedIn(browser, daemon);
  const useful: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const other = await page.context().newPage();
    await other.goto(`http://127.0.0.1:${daemon.port}/health`);
    bare.push(z.number().parse(await other.evaluate("performance.getEntriesByType('navigation')[0].duration")));
    await other.goto(`http://127.0.0.1:${daemon.port}/ui/now`);
    await other.locator(".now-row").first().waitFor();
    useful.push(z.number().parse(await other.evaluate("performance.now()")));
    await other.close();
  }
  await page.context().close();
  return { useful, bare };
}

interface Fleet {
  readonly tasks: readonly number[];
  readonly emptyTasks: readonly number[];
  readonly toPixel: readonly number[];
  readonly answered: readonly number[];
  readonly heapMb: { readonly before: number; readonly after: number };
  readonly changes: number;
}

async function withFleet(browser: Browser, daemon: RunningDaemon, forMs: number): Promise<Fleet> {
  const page = await signedIn(browser, daemon);
  const { sessions } = Listed.parse(await daemon.api.call("GET", `/sessions?limit=${SESSIONS}`));
  const emptyTasks = await taskTimes(page, () => sleep(2_000));
  const stop = new AbortController();
  const changing = change(
    daemon,
    sessions.map(({ id }) => id),
    stop.signal,
  );
  await sleep(1_000);
  const before = await heapMb(page);
  const tasks = await taskTimes(page, () => sleep(forMs));
  const { toPixel, answered } = await eventToPixel(page, daemon);
  const after = await heapMb(page);
  stop.abort();
  const changes = await changing;
  await page.context().close();
  return { tasks, emptyTasks, toPixel, answered, heapMb: { before, after }, changes };
}

async function change(daemon: RunningDaemon, ids: readonly string[], signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const batch = Array.from({ length: CHANGED_AT_ONCE }, (_none, at) => ids[(count + at) % ids.length] ?? "");
    await Promise.all(
      batch.map((id) => daemon.api.call("POST", `/sessions/${id}/label`, { label: `change ${count}` })),
    );
    count += batch.length;
    await sleep(CHANGE_EVERY_MS);
  }
  return count;
}

/** From the call that changes a session to the frame that shows it, while the others go on changing. */
async function eventToPixel(page: Page, daemon: RunningDaemon): Promise<Pick<Fleet, "toPixel" | "answered">> {
  const toPixel: number[] = [];
  const answered: number[] = [];
  const shown = await page.locator(".now-title").first().getAttribute("href");
  const id = shown?.split("/").at(-1) ?? "";
  for (let round = 0; round < 60; round += 1) {
    const title = `Pixel ${round}`;
    const seen = page.evaluate(`new Promise((resolve) => {
      const look = () => document.querySelector('a[href$="${id}"]')?.textContent === "${title}"
        ? resolve(Date.now()) : requestAnimationFrame(look);
      look();
    })`);
    const sentMs = Date.now();
    const began = performance.now();
    await daemon.api.call("POST", `/sessions/${id}/rename`, { title });
    answered.push(performance.now() - began);
    toPixel.push(z.number().parse(await seen) - sentMs);
  }
  return { toPixel, answered };
}

async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1_048_576;
}

function sizeFigure(bytes: number): Figure {
  return {
    name: "dashboard.bytes",
    what: "first load of the dashboard, gzipped, in MB",
    unit: "MB",
    value: bytes / 1_048_576,
    baseline: { what: "200 KB", value: BYTES_MAX / 1_048_576 },
    aim: { ratioAtMost: 1 },
    details: { bytes },
  };
}

function paintFigure({ useful, bare }: Paints): Figure {
  return {
    name: "dashboard.paint",
    what: `from the navigation to the board with ${SESSIONS} sessions`,
    unit: "ms",
    value: median(useful),
    baseline: { what: "a page that only says ok", value: median(bare) },
    aim: { valueAtMost: 1_000 },
    details: { slowest: percentile(useful, 100) },
  };
}

function fleetFigures({ tasks, emptyTasks, toPixel, answered, heapMb: heap, changes }: Fleet): readonly Figure[] {
  const perSecond = Math.round((CHANGED_AT_ONCE * 1000) / CHANGE_EVERY_MS);
  return [
    {
      name: "dashboard.update",
      what: `script, style and layout of an update, ${SESSIONS} sessions, up to ${perSecond} changes a second, p95`,
      unit: "ms",
      value: percentile(tasks, 95),
      baseline: { what: "the same page at rest, p95", value: Math.max(0.1, percentile(emptyTasks, 95)) },
      aim: { valueAtMost: 8 },
      details: { median: median(tasks), slowest: percentile(tasks, 100), updates: tasks.length, changes },
    },
    {
      name: "dashboard.pixel",
      what: "from the call that changes a session to the frame that shows it, p95",
      unit: "ms",
      value: percentile(toPixel, 95),
      baseline: { what: "the call itself", value: median(answered) },
      aim: { valueAtMost: 100 },
      details: { median: median(toPixel), slowest: percentile(toPixel, 100) },
    },
    {
      name: "dashboard.memory",
      what: "heap of the page after the changes",
      unit: "MB",
      value: heap.after,
      baseline: { what: "before them", value: heap.before },
      aim: { ratioAtMost: 1.2 },
      details: { changes },
    },
  ];
}
