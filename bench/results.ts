import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type Figure, isMet, ratioOf, type Skipped } from "./harness.ts";

const FigureResult = z.object({
  what: z.string(),
  unit: z.string(),
  value: z.number(),
  baseline: z.object({ what: z.string(), value: z.number() }),
  ratio: z.number(),
  aim: z
    .object({
      valueAtMost: z.number().optional(),
      ratioAtMost: z.number().optional(),
      ratioAtLeast: z.number().optional(),
    })
    .nullable(),
  met: z.boolean().nullable(),
  details: z.record(z.string(), z.union([z.number(), z.string()])),
});
export type FigureResult = z.infer<typeof FigureResult>;

const Machine = z.object({
  cpu: z.string(),
  cores: z.number(),
  memoryGiB: z.number(),
  system: z.string(),
  fileSystem: z.string(),
});
type Machine = z.infer<typeof Machine>;

/** One benchmark's file in bench/results. Keyed by name, not a list, so that a changed figure is one changed line. */
const Result = z.object({
  benchmark: z.string(),
  date: z.string(),
  node: z.string(),
  machine: Machine,
  /** Load average of the last minute at the start: how busy the machine was. */
  loadAverage: z.number(),
  skipped: z.string().nullable(),
  figures: z.record(z.string(), FigureResult),
});
export type Result = z.infer<typeof Result>;

const RESULTS = join(import.meta.dirname, "results");

export function resultOf(
  benchmark: string,
  outcome: readonly Figure[] | Skipped,
  scene: { readonly machine: Machine; readonly loadAverage: number },
): Result {
  const figures = "skipped" in outcome ? (outcome.figures ?? []) : outcome;
  return {
    benchmark,
    date: new Date().toISOString(),
    node: process.version,
    machine: scene.machine,
    loadAverage: rounded(scene.loadAverage),
    skipped: "skipped" in outcome ? outcome.skipped : null,
    figures: Object.fromEntries(figures.map((figure) => [figure.name, figureResult(figure)])),
  };
}

function figureResult(figure: Figure): FigureResult {
  const { what, unit, value, baseline, aim, details } = figure;
  return {
    what,
    unit,
    value: rounded(value),
    baseline: { what: baseline.what, value: rounded(baseline.value) },
    ratio: rounded(ratioOf(figure)),
    aim,
    met: isMet(figure),
    details: Object.fromEntries(
      Object.entries(details).map(([name, detail]) => [name, typeof detail === "number" ? rounded(detail) : detail]),
    ),
  };
}

/** Quick figures are kept apart: the documentation does not quote them. */
export function writeResult(result: Result, quick: boolean): void {
  const folder = quick ? join(RESULTS, "quick") : RESULTS;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${result.benchmark}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

export function readResults(): readonly Result[] {
  if (!existsSync(RESULTS)) return [];
  return readdirSync(RESULTS)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => Result.parse(JSON.parse(readFileSync(join(RESULTS, name), "utf8"))));
}

/** What a reader needs for a comparison, without identifying the machine. */
export function describeMachine(scratch: string): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? "unknown",
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release().split("-")[0]} ${os.arch()}`,
    fileSystem: FILE_SYSTEMS[statfsSync(scratch).type] ?? "another",
  };
}

const FILE_SYSTEMS: { readonly [magic: number]: string } = {
  61267: "ext4",
  16914836: "tmpfs (a flush costs nothing here)",
  1481003842: "xfs",
  2035054128: "overlayfs",
  2435016766: "btrfs",
};

/** Three digits are all that a measurement can give. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
