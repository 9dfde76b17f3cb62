import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ClientError, type InputOf, type OutputOf } from "../../../src/client/index.ts";
import { nomos, useAction } from "../../frame/index.ts";
import { readDraft, writeDraft } from "./drafts.ts";

type Prompt = InputOf<"session.prompt">;
export type Sending = "no" | "sending" | "waiting";

const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 3_000;

/**
 * Sends a prompt until the daemon answers. Every try has the same key, also after the page was loaded anew, so a prompt
 * that arrived is not sent twice.
 */
export function useSend(id: string): {
  readonly sending: Sending;
  readonly send: (prompt: Prompt) => Promise<OutputOf<"session.prompt"> | undefined>;
  readonly giveUp: () => void;
} {
  const [sending, setSending] = useState<Sending>("no");
  const { run } = useAction();
  const leave = useRef<AbortController | null>(null);
  useEffect(() => () => leave.current?.abort(), []);
  const send = useCallback(
    async (prompt: Prompt) => {
      const own = new AbortController();
      leave.current = own;
      const content = await fingerprintOf(prompt);
      const before = readDraft(id).sent;
      const key = before?.content === content ? before.key : crypto.randomUUID();
      writeDraft(id, { text: prompt.prompt, sent: { key, content } });
      setSending("sending");
      try {
        return await run(() => untilAnswered(prompt, key, own.signal, () => setSending("waiting")));
      } finally {
        setSending("no");
      }
    },
    [id, run],
  );
  return { sending, send, giveUp: () => leave.current?.abort() };
}

async function untilAnswered(prompt: Prompt, key: string, signal: AbortSignal, onLost: () => void) {
  for (let failures = 0; ; failures += 1)
    try {
      return await nomos().call("session.prompt", prompt, { idempotencyKey: key });
    } catch (thrown) {
      if (signal.aborted || !isLost(thrown)) throw thrown;
      onLost();
      await new Promise((resolve) => setTimeout(resolve, Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_MAX_MS)));
    }
}

/** No answer came, or only one that says to ask again. */
function isLost(thrown: unknown): boolean {
  return thrown instanceof ClientError && (thrown.status === 0 || thrown.status >= 502 || thrown.code === "starting");
}

async function fingerprintOf({ prompt, attachments }: Prompt): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([prompt, attachments]));
  // Not a secret: it only tells two prompts apart, also where a browser gives no hash without TLS.
  let hash = 0;
  for (const byte of bytes) hash = (Math.imul(hash, 31) + byte) | 0;
  return `${bytes.length} ${hash}`;
}
