/** Keeps the beginning and the end of what a program prints; a program may print for ever. */
export interface OutputEnds {
  readonly push: (bytes: Uint8Array) => void;
  readonly texts: () => { readonly head: string; readonly tail: string };
}

const HEAD_BYTES = 16_384;
const TAIL_BYTES = 65_536;

/** `tail` is empty when `head` has everything. */
export function createEnds(): OutputEnds {
  let head: Uint8Array = Buffer.alloc(0);
  let tail: Uint8Array = Buffer.alloc(0);
  return {
    push: (bytes) => {
      const room = HEAD_BYTES - head.length;
      if (room > 0) head = Buffer.concat([head, bytes.subarray(0, room)]);
      if (bytes.length <= room) return;
      const rest = bytes.subarray(Math.max(room, bytes.length - TAIL_BYTES));
      const both = Buffer.concat([tail, rest]);
      tail = Buffer.from(both.subarray(Math.max(0, both.length - TAIL_BYTES)));
    },
    texts: () => ({ head: Buffer.from(head).toString(), tail: Buffer.from(tail).toString() }),
  };
}

const HEAD_LINES = 5;
const TAIL_LINES = 40;
const LINE_CHARS = 240;
const SHOWN_CHARS = 3000;

/** The last lines, and a few of the first ones when there are more. Without what a terminal obeys. */
export function shownOutput({ head, tail }: { readonly head: string; readonly tail: string }): string {
  // The end is what says why: the beginning gives way.
  const all = linesIn(head + tail);
  const last = all.slice(-TAIL_LINES).join("\n");
  if (last.length > SHOWN_CHARS) return `…${last.slice(-SHOWN_CHARS)}`;
  const first = all.slice(0, Math.min(HEAD_LINES, Math.max(0, all.length - TAIL_LINES))).join("\n");
  return first === "" || first.length + last.length > SHOWN_CHARS ? last : `${first}\n…\n${last}`;
}

function linesIn(text: string): readonly string[] {
  return text
    .replace(ESCAPES, "")
    .split("\n")
    .map((line) => (line.split("\r").findLast((part) => part !== "") ?? "").replace(/\p{Cc}/gu, " ").trimEnd())
    .filter((line) => line !== "")
    .map((line) => (line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line));
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, "g");
