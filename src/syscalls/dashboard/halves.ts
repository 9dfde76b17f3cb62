import { randomBytes } from "node:crypto";

/**
 * The secret of a browser's token, in two halves. The cookie goes to every port of a host, so a server that an agent starts
 * on another port receives it; the page's half lies in the storage of our port, where that server cannot read it. A script in
 * the page cannot read the cookie. Neither half gets in alone.
 */
export interface Halves {
  readonly cookie: string;
  readonly page: string;
}

const PAGE_PREFIX = "nmp_";
const HALF_BYTES = 24;
/** A bearer holds no space, so the whole secret cannot be sent as one. */
const BETWEEN = " ";

export function newHalves(): Halves {
  const half = () => randomBytes(HALF_BYTES).toString("hex");
  return { cookie: half(), page: `${PAGE_PREFIX}${half()}` };
}

export function joinHalves({ cookie, page }: Halves): string {
  return `${cookie}${BETWEEN}${page}`;
}

export function splitHalves(secret: string): Halves | null {
  const [cookie, page] = secret.split(BETWEEN);
  return cookie === undefined || page === undefined ? null : { cookie, page };
}

/** Whether a bearer is the page's half, which needs a cookie beside it. */
export function isPageHalf(bearer: string): boolean {
  return bearer.startsWith(PAGE_PREFIX);
}
