import { harmless } from "../screen/harmless.ts";
import { dim, type Text } from "../screen/styled.ts";

export interface Speech {
  /** Prints the complete lines. Returns the unfinished line, or null for a frame that was printed before. */
  readonly stream: (text: string) => string | null;
  /** Prints the message without the part that was already printed from frames. */
  readonly message: (text: string, isThought: boolean) => void;
  /**
   * The same for a message of which only the beginning is known. Frames that began with it are not repeated. True when
   * all of its bytes are on the screen.
   */
  readonly beginning: (text: string, bytes: number) => boolean;
}

/** Prints an agent's text: frames as they arrive, then the rest of the complete message. */
export function createSpeech(show: (text: string, paint?: (line: string) => Text) => void): Speech {
  /** Text from frames whose message is not complete; its last line is unfinished. */
  let streamed = "";
  /** Text of messages that were printed before their frames arrived. Those frames are skipped. */
  let late = "";
  return {
    stream: (text) => {
      if (late !== "" && late.startsWith(text)) {
        late = late.slice(text.length);
        return null;
      }
      late = "";
      const before = streamed.lastIndexOf("\n") + 1;
      streamed += text;
      const after = streamed.lastIndexOf("\n") + 1;
      if (after > before) show(streamed.slice(before, after - 1));
      return harmless(streamed.slice(after)).replaceAll("\n", " ") || "working";
    },
    message: (text, isThought) => {
      const seen = !isThought && text.startsWith(streamed) ? streamed.lastIndexOf("\n") + 1 : 0;
      if (!isThought) {
        late = text.startsWith(streamed) ? text.slice(streamed.length) : "";
        streamed = "";
      }
      const rest = text.slice(seen).replace(/\n$/, "");
      if (rest !== "") show(rest, isThought ? dim : undefined);
    },
    beginning: (text, bytes) => {
      const [seen, isSeen] = [streamed, streamed.startsWith(text)];
      streamed = "";
      late = "";
      const unfinished = isSeen ? seen.slice(seen.lastIndexOf("\n") + 1) : text;
      if (unfinished !== "") show(unfinished);
      return isSeen && Buffer.byteLength(seen) >= bytes;
    },
  };
}
