import { useCallback, useEffect, useState } from "preact/hooks";
import { ClientError } from "../../src/client/index.ts";
import { keep, kept, nomos } from "../frame/index.ts";
import { type Remembered, type Witnessed, witness } from "./proof/witness.ts";

const NAME = "witness";
const NO_PROOF = "The daemon does not prove that the log begins with what this browser saw";

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
  let isRefused = false;
  const ask = (from: number) =>
    nomos()
      .call("audit.consistency", { from })
      .catch((thrown: unknown) => {
        isRefused = thrown instanceof ClientError && thrown.status !== 0;
        throw thrown;
      });
  try {
    const witnessed = await witness(before, { checkpoint, key, now: new Date().toISOString() }, ask);
    if (witnessed.remembered !== null) keep(NAME, JSON.stringify(witnessed.remembered));
    return witnessed;
  } catch (thrown) {
    // A daemon that gives no proof is no daemon that gave one.
    if (isRefused) return { is: "unknown", says: `${NO_PROOF}: ${String(thrown)}`, remembered: before };
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
