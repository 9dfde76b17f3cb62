import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EvalResult } from "./judge-case.ts";

/** Writes `report.json` and `report.md`. */
export async function writeReport(folder: string, results: readonly EvalResult[], at: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const failed = results.filter(({ ok }) => !ok).length;
  const report = { at, ok: failed === 0, cases: results.length, failed, results };
  await writeFile(join(folder, "report.json"), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(join(folder, "report.md"), `${markdownOf(results, at)}\n`);
}

function markdownOf(results: readonly EvalResult[], at: string): string {
  const passed = results.filter(({ ok }) => ok).length;
  return [
    "# Replayed sessions",
    "",
    `${passed} of ${results.length} cases are as expected (${at}).`,
    "",
    `| ${COLUMNS.join(" | ")} |`,
    `|${COLUMNS.map(() => "---").join("|")}|`,
    ...results.map((result) => `| ${cellsOf(result).map(inCell).join(" | ")} |`),
  ].join("\n");
}

export const COLUMNS = ["CASE", "IS", "STEPS", "REFUSED", "ASKED", "COST", "WHY"];

export function cellsOf({ name, ok, problems, replay }: EvalResult): readonly string[] {
  const cost = replay === null ? null : (replay.wouldCost?.costUsd ?? replay.spent.costUsd);
  return [
    name,
    ok ? "ok" : "failed",
    ...(replay === null
      ? ["", "", ""]
      : [String(replay.steps), String(replay.refused.length), String(replay.asked.length)]),
    cost === null ? "" : `$${cost.toFixed(4)}`,
    problems.join("; "),
  ];
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, CELL_CHARS);
}

const CELL_CHARS = 300;
