import type { AnswerPart, CallResult, Image, Message, Text } from "../model.ts";
import { cutText } from "../view/texts.ts";

const RESULT_CHARS = 2000;
const THOUGHT_CHARS = 500;
const INPUT_CHARS = 1000;

/** Messages as text for a summary, one piece per message. As text, so that no model goes on with them. */
export function piecesOf(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === "tool") return message.results.map(resultText).join("\n\n");
    return message.content.map(message.role === "user" ? userText : assistantText).join("\n\n");
  });
}

/** The newest pieces that fit, with a note of how many do not. A single piece that is too long is cut. */
export function fitPieces(pieces: readonly string[], charsMax: number): string {
  let chars = 0;
  let from = pieces.length;
  while (from > 0 && chars + (pieces[from - 1]?.length ?? 0) + GAP.length <= charsMax) {
    from -= 1;
    chars += (pieces[from]?.length ?? 0) + GAP.length;
  }
  if (from === 0) return pieces.join(GAP);
  const last = pieces.at(-1);
  if (from === pieces.length && last !== undefined)
    return [left(from - 1), cutText(last, charsMax)].join(GAP).trimStart();
  return [left(from), ...pieces.slice(from)].join(GAP);
}

const GAP = "\n\n";

function left(count: number): string {
  return count === 0 ? "" : `[${count} earlier messages are left out: they do not fit]`;
}

function userText(part: AnswerPart | Text | Image): string {
  return `[User] ${contentText(part)}`;
}

function assistantText(part: AnswerPart | Text | Image): string {
  if (part.kind === "call") return `[Assistant calls] ${part.name}(${cutText(part.input, INPUT_CHARS)})`;
  if (part.kind === "thought") return `[Assistant thinks] ${cutText(part.text, THOUGHT_CHARS)}`;
  return `[Assistant] ${contentText(part)}`;
}

function resultText({ name, content, isError }: CallResult): string {
  return `[${isError ? "Error" : "Result"} of ${name}] ${cutText(content.map(contentText).join("\n"), RESULT_CHARS)}`;
}

function contentText(part: AnswerPart | Text | Image): string {
  return part.kind === "image" ? `(image, ${part.mediaType})` : part.kind === "call" ? part.name : part.text;
}
