import { useCallback, useEffect, useState } from "preact/hooks";
import { ClientError } from "../../src/client/index.ts";
import { keep, kept, nomos } from "../frame/index.ts";
import { type Remembered, type Witnessed, witness } from "./proof/witness.ts";

const NAME = "witness";

/** This browser as a witness of the log: undefined while it looks. */
export function useWitness(): {
  readonly witnessed?: Witnessed;
  readonly error?: unknown;
  readonly again: () => void;
  /** Gives up what was seen and begins anew with what the daemon shows now. */
  readonly forget: () => void;
} {
  const [state, setState] = useState<{ readonly witnessed?: Witnessed; readonly error?: unknown }>({});
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((now) => now + 1), []);
  useEffect(() => {
    let isLeft = false;
    look().then(
      (witnessed) => isLeft || setState({ witnessed }),
      (error: unknown) => isLeft || setState({ error }),
    );
    return () => {
      isLeft = true;
    };
  }, [round]);
  const forget = useCallback(() => {
    keep(NAME, null);
    again();
  }, [again]);
  return { ...state, again, forget };
}

async function look(): Promise<Witnessed> {
  const before = remembered(kept(NAME));
  const { checkpoint, key } = await nomos().call("audit.checkpoint", {});
  try {
    const witnessed = await witness(before, { checkpoint, key, now: new Date().toISOString() }, (from) =>
      nomos().call("audit.consistency", { from }),
    );
    if (witnessed.remembered !== null) keep(NAME, JSON.stringify(witnessed.remembered));
    return witnessed;
  } catch (thrown) {
    if (thrown instanceof ClientError) throw thrown;
    // Without a secure context there is no WebCrypto.
    return { is: "unknown", says: `This browser cannot compute the proof: ${String(thrown)}`, remembered: before };
  }
}

/** Anything can be in a browser's storage. */
function remembered(text: string | null): Remembered | null {
  if (text === null) return null;
  try {
    const read: unknown = JSON.parse(text);
    return isRemembered(read) ? read : null;
  } catch {
    return null;
  }
}

function isRemembered(read: unknown): read is Remembered {
  if (typeof read !== "object" || read === null) return false;
  const { key, size, root, at } = read as Partial<Record<keyof Remembered, unknown>>;
  return [key, root, at].every((text) => typeof text === "string") && Number.isSafeInteger(size);
}
