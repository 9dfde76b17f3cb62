import { parentPort, workerData } from "node:worker_threads";
import { createRadarLoop } from "./radar-loop.ts";
import type { RadarOrder, RadarReport, RadarSettings } from "./radar-messages.ts";

/** The thread that compares worktrees: however large they are, the daemon's own thread has none of the work. */
const port = parentPort;
if (port === null) throw new Error("the radar is a worker thread");
const send = (report: RadarReport): void => port.postMessage(report);
const loop = createRadarLoop(workerData as RadarSettings, send);

port.on("message", (order: RadarOrder) => {
  if (order.do !== "close") return loop.take(order);
  void loop.close().finally(() => {
    send({ what: "closed" });
    port.close();
  });
});
