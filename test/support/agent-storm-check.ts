import type { Admitted, AgentStormFigures } from "./agent-storm.ts";
import { effectLines, readLog, turnsIn } from "./storm-check.ts";
import type { StormDaemon } from "./storm-daemon.ts";

/** Checks every guarantee about prompting agents against the log and the world. Throws the violations. */
export async function judgeAgentStorm(
  daemon: StormDaemon,
  admitted: Admitted,
  folder: string,
): Promise<Pick<AgentStormFigures, "turns" | "completed" | "marks">> {
  const log = await readLog(daemon);
  const problems: string[] = [];
  const turns = turnsIn(log, problems);
  const done = await effectLines(folder, problems);
  const said = Map.groupBy(
    log.filter(({ type }) => type === "message.completed@1").flatMap(({ data }) => marksIn(String(data["text"]))),
    (mark) => mark,
  );
  for (const [mark, times] of said) if (times.length > 1) problems.push(`${mark} was said ${times.length} times`);
  for (const [mark, turnId] of admitted) if (!turns.has(turnId)) problems.push(`the turn of ${mark} is lost`);
  for (const { prompt, outcome } of turns.values())
    for (const mark of new Set(marksIn(prompt)))
      if (outcome === "completed")
        for (const [what, isThere] of [
          ["begun", done.has(`${mark}-1`)],
          ["said", said.has(mark)],
          ["ended", done.has(`${mark}-2`)],
        ])
          if (!isThere) problems.push(`${mark} is completed and was never ${what}`);
  for (const path of ["/api/doctor?rebuild=1", "/api/audit/verify"]) {
    const { body } = await daemon.call<{ ok: boolean }>("GET", path);
    if (!body.ok) problems.push(`${path}: ${JSON.stringify(body)}`);
  }
  if (problems.length > 0) throw new Error(`${problems.length} promises broken:\n${problems.slice(0, 20).join("\n")}`);
  const completed = [...turns.values()].filter(({ outcome }) => outcome === "completed").length;
  return { turns: turns.size, completed, marks: done.size };
}

function marksIn(text: string): readonly string[] {
  return text.match(/mark-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
}
