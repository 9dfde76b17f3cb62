import { type FileChange, type Hunk, type HunkLine, hunkLine, type ParsedPatch } from "./patch.ts";

/** Reads a unified diff, as `git diff` and `diff -u` print it. */
export function parseUnified(lines: readonly string[]): ParsedPatch {
  const changes: FileChange[] = [];
  let at = 0;
  while (at < lines.length) {
    const file = readFileHead(lines, at);
    if (file === null) {
      if (/^@@ /.test(lines[at] ?? ""))
        return {
          problem: `Line ${at + 1} of the patch: a hunk before the name of its file ("--- a/PATH", "+++ b/PATH").`,
        };
      at += 1;
      continue;
    }
    const hunks = readHunks(lines, file.next);
    if ("problem" in hunks) return hunks;
    const change = changeOf(file, hunks.hunks);
    if ("problem" in change) return change;
    changes.push(change);
    at = hunks.next;
  }
  return { changes };
}

interface FileHead {
  /** Null: /dev/null. */
  readonly before: string | null;
  readonly after: string | null;
  readonly next: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

function readFileHead(lines: readonly string[], at: number): FileHead | null {
  const line = lines[at] ?? "";
  if (line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ "))
    return { before: pathOf(line), after: pathOf(lines[at + 1] ?? ""), next: at + 2 };
  // A rename without a hunk has no other head.
  const [, from] = /^rename from (.+)$/.exec(line) ?? [];
  const [, to] = /^rename to (.+)$/.exec(lines[at + 1] ?? "") ?? [];
  if (from === undefined || to === undefined) return null;
  const below = lines.slice(at + 2, at + 4).findIndex((next) => next.startsWith("--- "));
  return below === -1 ? { before: from, after: to, next: at + 2 } : null;
}

/** Without the `a/` of git, the quotes of hostile names and the time that `diff -u` adds. */
function pathOf(line: string): string | null {
  const name = line.slice(4).replace(/\t.*$/, "").trim();
  if (name === "/dev/null") return null;
  const plain = /^".*"$/.test(name) ? unquoted(name) : name;
  return plain.replace(/^[ab]\//, "");
}

function unquoted(name: string): string {
  try {
    const parsed: unknown = JSON.parse(name);
    return typeof parsed === "string" ? parsed : name;
  } catch {
    return name; // Octal escapes of git: taken as they stand, and so not found.
  }
}

function readHunks(lines: readonly string[], from: number): { hunks: Hunk[]; next: number } | { problem: string } {
  const hunks: Hunk[] = [];
  let at = from;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (!line.startsWith("@@")) break;
    const [whole, oldStart] = HUNK.exec(line) ?? [];
    const header = whole === undefined ? line.replaceAll(/^@@ ?| ?@@$/g, "") : "";
    const body = readBody(lines, at + 1);
    if (body.lines.length === 0) return { problem: `Line ${at + 1} of the patch: the hunk is empty.` };
    hunks.push({
      at: at + 1,
      header: header.trim() === "" ? null : header,
      oldStart: oldStart === undefined ? null : Number(oldStart),
      lines: body.lines,
      isAtEnd: body.endsWithLineEnd !== null,
      endsWithLineEnd: body.endsWithLineEnd,
    });
    at = body.next;
  }
  return { hunks, next: at };
}

/** The counts in a hunk's head are often wrong in a model's diff: the hunk ends where the next thing begins. */
function readBody(lines: readonly string[], from: number) {
  const body: HunkLine[] = [];
  let endsWithLineEnd: boolean | null = null;
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (/^(?:@@|diff |Index: |index [0-9a-f]+\.\.)/.test(line)) break;
    if (line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ")) break;
    if (line.startsWith("\\")) {
      // "\ No newline at end of file" speaks of the line above it.
      endsWithLineEnd = body.at(-1)?.kind === "drop";
      continue;
    }
    const parsed = hunkLine(line);
    if (parsed === null) break;
    body.push(parsed);
  }
  const isOver = at >= lines.length || (lines[at] ?? "").startsWith("diff ");
  while (isOver && body.at(-1)?.kind === "keep" && body.at(-1)?.text === "") body.pop();
  return { lines: body, endsWithLineEnd, next: at };
}

function changeOf({ before, after }: FileHead, hunks: readonly Hunk[]): FileChange | { readonly problem: string } {
  if (before === null && after === null) return { problem: "The patch names no file (/dev/null on both sides)." };
  if (after === null) return { kind: "delete", path: before ?? "" };
  if (before === null) {
    const lines = hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind === "add").map(({ text }) => text));
    const isOpen = hunks.at(-1)?.endsWithLineEnd === false;
    return { kind: "add", path: after, text: lines.length === 0 ? "" : `${lines.join("\n")}${isOpen ? "" : "\n"}` };
  }
  if (hunks.length === 0 && before === after) return { problem: `The patch has no hunk for ${after}.` };
  return { kind: "update", path: before, moveTo: before === after ? null : after, hunks };
}
