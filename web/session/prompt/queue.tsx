import { memberOf } from "../../../src/kernel/index.ts";
import { useCall } from "../../frame/index.ts";
import { SafeText } from "../../text/index.ts";

interface QueueProps {
  readonly id: string;
  readonly queued: number;
}

const SHOWN_MAX = 20;
const CHARS_SHOWN = 200;

/** Prompts that wait for the running turn, in their order. */
export function Queue({ id, queued }: QueueProps) {
  const limit = Math.min(queued, SHOWN_MAX);
  // The number of waiting prompts is part of the input, so that a change reads again.
  const input = { id, types: ["turn.admitted"], order: "desc", limit: Math.max(1, limit) } as const;
  const { value } = useCall("session.events", input, { when: queued > 0 });
  if (queued === 0) return null;
  return (
    <div class="session-queue">
      <p class="muted">{queued === 1 ? "1 prompt waits" : `${queued} prompts wait`} for the running turn</p>
      <ol>
        {(value?.events ?? [])
          .slice(0, limit)
          .toReversed()
          .map(({ seq, data }) => (
            <li key={seq}>
              <SafeText text={String(memberOf(data, "prompt") ?? "").slice(0, CHARS_SHOWN)} oneLine />
            </li>
          ))}
      </ol>
    </div>
  );
}
