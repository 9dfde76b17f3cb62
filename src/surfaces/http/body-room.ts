import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";

/** Memory for request bodies still being received, over all connections. */
export interface BodyRoom {
  /** The limit for one body. */
  readonly open: (actor: Actor) => BodyShare;
}

export interface BodyShare {
  /** Throws `overloaded` when fewer bytes are left. */
  readonly hold: (bytes: number) => void;
  readonly close: () => void;
}

/** Bodies up to this size are always accepted, so large ones cannot starve small calls. */
const FREE_BYTES = 65_536;
const ALL_BYTES_MAX = 268_435_456;
const SCOPED_BYTES_MAX = 67_108_864;

export function createBodyRoom(): BodyRoom {
  const held = new Map<string, number>();
  let all = 0;
  const change = (principal: string, bytes: number): void => {
    all += bytes;
    const now = (held.get(principal) ?? 0) + bytes;
    if (now === 0) held.delete(principal);
    else held.set(principal, now);
  };
  return {
    open: ({ principal, capabilities }) => {
      const max = capabilities.includes("*") ? ALL_BYTES_MAX : SCOPED_BYTES_MAX;
      let counted = 0;
      let size = 0;
      return {
        hold: (bytes) => {
          size += bytes;
          const more = Math.max(0, size - FREE_BYTES) - counted;
          if (more === 0) return;
          const mine = (held.get(principal) ?? 0) + more;
          if (mine > max || all + more > ALL_BYTES_MAX)
            throw new NomosError("overloaded", { of: "request bodies", heldBytes: all, maxBytes: max });
          counted += more;
          change(principal, more);
        },
        close: () => {
          if (counted > 0) change(principal, -counted);
          counted = 0;
        },
      };
    },
  };
}
