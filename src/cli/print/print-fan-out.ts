import type { OutputOf } from "../../client/index.ts";
import { bold, cyan, dim, green, joined, red, type Text, yellow } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { counted, spellCount, spellDollars, spellDuration, spellQuota } from "./spell.ts";
import { tableLines } from "./table.ts";

type Fanout = OutputOf<"fan-out.show">;
type Candidate = Fanout["candidates"][number];

const FINDINGS_SHOWN_MAX = 5;
const OVERLAP_SHOWN_MAX = 5;

/** The candidates side by side, the best first; then what speaks against them, and the next step. */
export function printFanout(terminal: Terminal, output: unknown): void {
  const fanout = output as Fanout;
  for (const line of comparisonLines(terminal, fanout)) terminal.print(line);
  for (const line of nextSteps(fanout)) terminal.print(line);
}

function comparisonLines(terminal: Terminal, fanout: Fanout): readonly Text[] {
  const { name, state, base, candidates } = fanout;
  const from = base === null ? "" : ` from ${base.slice(0, 10)}`;
  return [
    joined(bold(name), dim(` · ${STATES[state] ?? state} · ${counted(candidates.length, "candidate")}${from}`)),
    ...tableLines(terminal, HEADINGS, candidates.map(cellsOf), FITS),
    ...candidates.flatMap(remarksOn),
    ...overlapLines(fanout),
  ];
}

const STATES: { readonly [state: string]: string } = {
  starting: "starting",
  working: "at work",
  judged: "all judged",
  settled: "settled",
  failed: "could not be started",
};

const HEADINGS = ["#", "SESSION", "AGENT", "STATE", "CHECKS", "FILES", "LINES", "TIME", "TOKENS", "COST", "WHY"];
const FITS = [
  ...[undefined, undefined, { shorten: "end" } as const, undefined, undefined, undefined, undefined],
  ...[{ drop: 4 }, { drop: 2 }, { drop: 3 }, { shorten: "words", drop: 1 } as const],
];

function cellsOf(one: Candidate): readonly string[] {
  const { spent, turnMs, files, added = 0, removed = 0 } = one;
  const tokens = spent === undefined ? 0 : spent.input + spent.output + spent.cacheRead + spent.cacheWrite;
  const cost = spent?.costUsd ?? null;
  return [
    String(one.rank ?? ""),
    one.name ?? "",
    one.model === undefined ? one.agent : `${one.agent}:${one.model}`,
    stateOf(one),
    one.checks ?? "",
    files === undefined ? "" : String(files),
    files === undefined ? "" : `+${added} -${removed}`,
    turnMs === undefined ? "" : spellDuration(turnMs),
    tokens === 0 ? "" : spellCount(tokens),
    cost === null ? "" : spellDollars(cost),
    one.reason ?? "",
  ];
}

function stateOf({ state, waitingFor, waitingUntil, landing, outcome }: Candidate): string {
  if (state === "waiting") return waitingFor === "quota" ? spellQuota(waitingUntil) : "asks you";
  if (state === "judged" && landing?.state === "refused") return "landing refused";
  return state === "judged" && outcome !== undefined && outcome !== "completed" ? outcome : state;
}

/** What a person has to know beyond the row: findings, errors, and what went with a worktree. */
function remarksOn(one: Candidate): readonly Text[] {
  const who = one.name ?? one.agent;
  const { findings, more = 0, error, gone, state } = one;
  const shown = findings.slice(0, FINDINGS_SHOWN_MAX);
  const left = findings.length - shown.length + more;
  return [
    ...shown.map(({ rule, path, message }) =>
      red(`  ${who}: ${rule}${path === undefined ? "" : ` ${path}`}: ${message}`),
    ),
    ...(left > 0 ? [dim(`  ${who}: and ${counted(left, "further finding")}`)] : []),
    ...(error === undefined ? [] : [red(`  ${who}: ${error.message}`)]),
    ...(state === "waiting" ? [yellow(`  ${who} waits for you: nomos attach ${who}`)] : []),
    ...(gone === undefined
      ? []
      : [dim(`  ${who}: ${counted(gone.files.length + gone.more, "changed file")} went with it`)]),
  ];
}

function overlapLines({ overlap, overlapMore, candidates }: Fanout): readonly Text[] {
  if (overlap.length === 0) return [];
  const nameOf = (id: string) => candidates.find(({ sessionId }) => sessionId === id)?.name ?? id;
  const shown = overlap.slice(0, OVERLAP_SHOWN_MAX);
  const left = overlap.length - shown.length + overlapMore;
  const isAll = (sessions: readonly string[]) => sessions.length > 2 && sessions.length === candidates.length;
  return [
    dim("Changed by more than one:"),
    ...shown.map(({ path, sessions }) =>
      dim(`  ${path} (${isAll(sessions) ? "all" : sessions.map(nameOf).join(", ")})`),
    ),
    ...(left > 0 ? [dim(`  and ${counted(left, "further file")}`)] : []),
  ];
}

function nextSteps({ name, state, best, chosen, candidates }: Fanout): readonly Text[] {
  if (state === "starting" || state === "working") return [`Next: nomos fan-out wait ${name}`];
  if (state === "settled" || state === "failed") return [];
  const isThere = candidates.some((one) => !["dropped", "failed", "landed"].includes(one.state));
  const landing = candidates.find(({ sessionId }) => sessionId === chosen?.sessionId)?.landing;
  if (landing?.state === "landed") return isThere ? [`Next: nomos fan-out drop ${name} --dry-run`] : [];
  if (landing?.state === "queued" || landing?.state === "checking") return [`Next: nomos landing wait ${landing.id}`];
  if (landing?.state === "refused")
    return [
      yellow("The landing was refused; nothing has landed."),
      `Next: nomos landing why ${landing.id}, or nomos fan-out land ${name} SESSION`,
    ];
  if (best === null)
    return [
      yellow("None could land as it is."),
      `Next: nomos prompt SESSION "...", or nomos fan-out drop ${name} --all`,
    ];
  return [
    green(`Best: ${best.name}, ${best.reason}.`),
    `Next: nomos fan-out diff ${name} ${best.name}, nomos fan-out land ${name} best`,
  ];
}

type Diff = OutputOf<"fan-out.diff">;

/** One patch after another on a terminal, each under its session's name; in a pipe the patch of one candidate alone. */
export function printFanoutDiff(terminal: Terminal, output: unknown): void {
  const { diffs } = output as Diff;
  for (const { name, sessionId, agent, files, patch, why } of diffs) {
    const who = name ?? sessionId;
    if (why !== undefined) terminal.complain(`${who} (${agent}): there is no patch: ${why}`);
    if (!terminal.isScreen) {
      if (diffs.length > 1) terminal.printContent(`# ${who} (${agent}): ${counted(files.length, "file")}\n`);
      terminal.printContent(patch ?? "");
      continue;
    }
    terminal.print(joined(bold(`${who} (${agent})`), dim(`  ${counted(files.length, "file")}`)));
    for (const line of (patch ?? "").trimEnd().split("\n")) terminal.print(coloured(line));
  }
}

function coloured(line: string): Text {
  if (line.startsWith("diff ")) return bold(line);
  if (line.startsWith("+")) return green(line);
  if (line.startsWith("-")) return red(line);
  return line.startsWith("@@") ? cyan(line) : line;
}
