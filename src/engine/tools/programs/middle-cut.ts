import { Buffer } from "node:buffer";
import type { EffectResult } from "../../../turns/index.ts";
import type { World } from "../../tool.ts";
import { shownBytes, shownOutput } from "../shared/shown.ts";

/**
 * What a command printed. A long output is cut in the middle: its beginning says what ran, its end how it went. The rest
 * is in the log and can be read by its bytes.
 */
export async function middleCut(effect: EffectResult, world: World): Promise<string> {
  const { effectId, output, outputBytes } = effect;
  if (outputBytes <= SHOWN_BYTES_MAX) {
    const isAll = outputBytes <= Buffer.byteLength(output);
    return whole(isAll ? output : (await world.output(effectId, 0, outputBytes)).text);
  }
  const { text: head } = await world.output(effectId, 0, HEAD_BYTES);
  const from = outputBytes - TAIL_BYTES;
  const { text: tail } = await world.output(effectId, from, TAIL_BYTES);
  const how = `process {"action": "output", "effectId": ${JSON.stringify(effectId)}, "from": ${HEAD_BYTES}}`;
  const note = `[… ${shownBytes(from - HEAD_BYTES)} left out; read them with ${how} …]`;
  return [dropHalf(shownOutput(head), "end"), note, dropHalf(shownOutput(tail), "start")].join("\n");
}

const SHOWN_BYTES_MAX = 30_720;
const HEAD_BYTES = 10_240;
const TAIL_BYTES = SHOWN_BYTES_MAX - HEAD_BYTES;

function whole(output: string): string {
  return shownOutput(output).replace(/\n+$/, "");
}

/** Where the cut went through a character. */
function dropHalf(text: string, at: "start" | "end"): string {
  return at === "end" ? text.replace(/\uFFFD+$/, "") : text.replace(/^\uFFFD+/, "").replace(/\n+$/, "");
}
