const CONTEXT_LINES = 3;

/** A unified diff of one file: the lines between the common beginning and the common end. Null before: a new file. */
export function patchOf(path: string, before: string | null, after: string): string {
  const old = before === null ? [] : linesOf(before);
  const now = linesOf(after);
  const least = Math.min(old.length, now.length);
  let head = 0;
  while (head < least && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < least - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const from = Math.max(0, head - CONTEXT_LINES);
  const [oldTo, nowTo] = [old.length - tail, now.length - tail];
  const [oldEnd, nowEnd] = [Math.min(old.length, oldTo + CONTEXT_LINES), Math.min(now.length, nowTo + CONTEXT_LINES)];
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, oldTo).map((line) => `-${line}`),
    ...now.slice(head, nowTo).map((line) => `+${line}`),
    ...old.slice(oldTo, oldEnd).map((line) => ` ${line}`),
  ];
  const name = path.replaceAll("\n", " ");
  return [
    before === null ? "--- /dev/null" : `--- a/${name}`,
    `+++ b/${name}`,
    `@@ -${span(from, oldEnd)} +${span(from, nowEnd)} @@`,
    ...lines,
    "",
  ].join("\n");
}

function span(from: number, to: number): string {
  return `${to === from ? from : from + 1},${to - from}`;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
