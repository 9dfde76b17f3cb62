import * as z from "zod";
import { jsonExcess } from "../../contract/index.ts";
import { DriverError } from "../driver-error.ts";
import { type FromScript, LINE_BYTES_MAX } from "./protocol.ts";

type Line = { readonly plain: string } | { readonly message: FromScript };

/**
 * Text between the mark and the end of its line is a message; everything else on stdout, and stderr, is plain output.
 */
export async function* markedLines(
  output: AsyncIterable<{ readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }>,
  mark: string,
): AsyncGenerator<Line> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let rest = "";
  for await (const { stream, bytes } of output) {
    const text = decoders[stream].decode(bytes, { stream: true });
    if (stream === "stderr") {
      yield { plain: text };
      continue;
    }
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    let plain = "";
    for (const line of lines) {
      // The file's last output may not have ended its line.
      const at = line.indexOf(mark);
      plain += at < 0 ? `${line}\n` : line.slice(0, at);
      if (at < 0) continue;
      if (plain !== "") yield { plain };
      plain = "";
      yield { message: parseMessage(line.slice(at + mark.length)) };
    }
    if (!rest.includes(mark)) {
      const kept = Math.min(rest.length, mark.length - 1);
      plain += rest.slice(0, rest.length - kept);
      rest = rest.slice(rest.length - kept);
    }
    if (plain !== "") yield { plain };
    if (rest.length > LINE_BYTES_MAX) throw new DriverError("driver_failed", "the driver wrote a line without end");
  }
  if (rest !== "") yield { plain: rest };
}

const Message = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("call"), id: z.number(), method: z.string(), args: z.array(z.json()) }),
  z.object({ kind: z.literal("end") }),
  z.object({ kind: z.literal("fail"), code: z.enum(["driver_failed", "driver_file_invalid"]), message: z.string() }),
]);

/** The file's code runs in that process: it can find the mark and write anything. */
function parseMessage(text: string): FromScript {
  const excess = jsonExcess(text);
  if (excess !== null) throw new DriverError("driver_failed", `the driver wrote a message that is too much: ${excess}`);
  try {
    return Message.parse(JSON.parse(text));
  } catch (cause) {
    throw new DriverError("driver_failed", "the driver's process wrote what is no message", { reason: String(cause) });
  }
}
