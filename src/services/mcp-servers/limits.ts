/** What a server may take. A server is somebody else's program: everything it sends is counted. */
export interface McpLimits {
  /** From its start until its tools are known. */
  readonly startMs: number;
  /** Default of a server's `timeoutMs`. */
  readonly callMs: number;
  /** How long a turn waits at its start for servers that are not connected yet. */
  readonly waitMs: number;
  /** How long a server stays that no session uses any more. */
  readonly graceMs: number;
  readonly toolsMax: number;
  readonly schemaBytesMax: number;
  readonly descriptionChars: number;
  /** One message of a server. */
  readonly messageBytesMax: number;
  /** Of a result, as the model gets it. */
  readonly resultBytesMax: number;
  readonly callsMax: number;
  readonly waitingCallsMax: number;
  /** Messages that nobody asked for: so many at once, and so many a second in the long run. */
  readonly unaskedMax: number;
  readonly unaskedPerSecond: number;
  readonly stderrChars: number;
}

export const MCP_LIMITS: McpLimits = {
  startMs: 30_000,
  callMs: 120_000,
  waitMs: 2_000,
  graceMs: 5_000,
  toolsMax: 200,
  schemaBytesMax: 1_048_576,
  descriptionChars: 4_000,
  messageBytesMax: 8_388_608,
  resultBytesMax: 1_048_576,
  callsMax: 16,
  waitingCallsMax: 256,
  unaskedMax: 2_000,
  unaskedPerSecond: 200,
  stderrChars: 2_000,
};
