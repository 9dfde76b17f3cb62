/** Limits of one request to the web. */
export interface WebLimits {
  /** From the first packet to the end of the headers. */
  readonly headersMs: number;
  /** A whole call, with all its redirects. */
  readonly totalMs: number;
  readonly headerBytes: number;
  /** Of the body, both as sent and unpacked. */
  readonly bodyBytes: number;
  readonly redirectsMax: number;
  /** Of the process that makes a page readable. */
  readonly readerMs: number;
  readonly readerMemoryMb: number;
}

export const WEB_LIMITS: WebLimits = {
  headersMs: 10_000,
  totalMs: 30_000,
  headerBytes: 32_768,
  bodyBytes: 10_485_760,
  redirectsMax: 5,
  readerMs: 20_000,
  readerMemoryMb: 512,
};
