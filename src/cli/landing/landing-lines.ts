import type { OutputOf } from "../../client/index.ts";
import { counted, spellDuration } from "../print/spell.ts";
import { oneLine } from "../print/table.ts";
import { shellQuoted } from "../screen/shell-quoted.ts";
import { bold, dim, green, joined, red, type Text, yellow } from "../screen/styled.ts";

type Landing = Omit<OutputOf<"session.land">, "ok" | "dryRun"> & { readonly dryRun?: boolean };

const COMMIT_CHARS = 10;

/** What came of a landing, and the next step. */
export function landingLines(landing: Landing): readonly Text[] {
  const { sessionName, into, dryRun = false } = landing;
  const what = `${sessionName} on ${oneLine(into)}`;
  switch (landing.state) {
    case "landed":
      return dryRun ? dryLines(landing) : [green(`Landed ${what}: ${detailsOf(landing)}`), ...pushedLines(landing)];
    case "refused":
      return [
        red(dryRun ? `Dry run: ${what} would be refused.` : `Refused to land ${what}.`),
        ...findingLines(landing),
        ...(dryRun ? [] : retryLines(landing)),
      ];
    case "ejected":
      return [yellow(`The landing of ${what} was ejected: ${oneLine(landing.reason ?? "")}.`)];
    case "queued":
      return [`Queued ${sessionName} for ${oneLine(into)}${placeOf(landing)}.`, waitLine(landing)];
    case "checking":
      return [`${sessionName} is being checked for ${oneLine(into)}.`, waitLine(landing)];
  }
}

function dryLines(landing: Landing): readonly Text[] {
  const { sessionName, into } = landing;
  return [
    green(`Dry run: ${sessionName} would land on ${oneLine(into)}: ${detailsOf(landing)}`),
    `Next: nomos land ${sessionName} --into ${shellQuoted(into)}`,
  ];
}

/** `3 files, +10 -2, checks 12 s, commit 1234567890` */
function detailsOf({ files, added, removed, checkMs, commit }: Landing): string {
  const parts = [
    files === undefined ? "" : counted(files, "file"),
    added === undefined ? "" : `+${added} -${removed ?? 0}`,
    checkMs === undefined || checkMs === 0 ? "" : `checks ${spellDuration(checkMs)}`,
    commit === undefined ? "" : `commit ${commit.slice(0, COMMIT_CHARS)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** One finding: its rule and file, what is wrong, and the command that helps. */
function findingLines({ findings, more = 0 }: Landing): readonly Text[] {
  const lines = findings.flatMap(({ rule, path, message, remedy }): readonly Text[] => [
    joined(bold(`  ${rule}`), path === undefined ? "" : ` ${oneLine(path)}`, `: ${oneLine(message)}`),
    joined(dim("    do: "), oneLine(remedy)),
  ]);
  return more === 0
    ? lines
    : [...lines, dim(`  ${counted(more, "more finding")} ${more === 1 ? "was" : "were"} left out.`)];
}

function retryLines({ id, toldIn, retriedAs, attempt = 1, attemptsMax = 1 }: Landing): readonly Text[] {
  const attempts = `attempt ${attempt} of ${attemptsMax}`;
  if (retriedAs !== undefined) return [`Its agent mended it; the next attempt is ${retriedAs}.`];
  if (toldIn !== undefined) return [`Its agent was told and mends it (${attempts}). Then it is tried again.`];
  return id === null ? [] : [dim(`The branch is as it was. ${id}, ${attempts}.`)];
}

function pushedLines({ pushed }: Landing): readonly Text[] {
  if (pushed === undefined) return [];
  const { remote, branch, url, next } = pushed;
  return [
    `Pushed ${oneLine(branch)} to ${oneLine(remote)}.`,
    ...(url === null ? [] : [`Open a request: ${oneLine(url)}`]),
    ...next.map((command) => `Next: ${oneLine(command)}`),
  ];
}

function placeOf({ ahead = 0, behind }: Landing): string {
  return behind === undefined ? "" : `, behind ${behind.sessionName} (${ahead} ahead)`;
}

function waitLine({ id }: Landing): string {
  return `Next: nomos landing wait ${id ?? ""}`;
}
