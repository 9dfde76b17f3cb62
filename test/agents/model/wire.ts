import type { Asked, Reply } from "./script.ts";

/** One vendor's wire format for requests and streamed answers. */
export interface Wire {
  readonly matches: (method: string, path: string) => boolean;
  readonly read: (body: unknown) => Asked;
  /** The chunks of a stream as sent; `pause` where a slow model would wait. */
  readonly stream: (reply: Reply, body: unknown, number: number) => Iterable<string | typeof PAUSE>;
  /** The same answer without a stream. */
  readonly whole: (reply: Reply, body: unknown, number: number) => object;
  readonly wantsStream: (body: unknown, path: string) => boolean;
}

export const PAUSE = Symbol("pause");

export function serverSent(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** Splits a slow answer's text in two, so that the first part is sent before the pause. */
export function pieces(reply: Extract<Reply, { is: "text" }>): readonly (string | typeof PAUSE)[] {
  return reply.pauseMs === 0 ? [reply.text] : ["thinking, ", PAUSE, reply.text];
}
