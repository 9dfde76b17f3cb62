import { createTalk } from "../wire/talk.ts";
import type { BenchOptions, OpenedBench } from "./bench.ts";
import { openNomosBench } from "./nomos-bench.ts";
import { openPlainBench } from "./plain-bench.ts";

/** Detects the server: Nomos needs no test adapter, every other server does. */
export async function openBench(options: BenchOptions): Promise<OpenedBench> {
  const { status } = await createTalk(options.url, options.token).call("GET", "/api/conformance");
  return status === 200 ? openNomosBench(options) : openPlainBench(options);
}
