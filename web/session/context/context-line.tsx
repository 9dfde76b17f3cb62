import { useEffect, useState } from "preact/hooks";
import type { OutputOf, Session } from "../../../src/client/index.ts";
import { isEngine } from "../../engine/index.ts";
import { type Called, ErrorCard, useCall } from "../../frame/index.ts";
import { Button, countText, Meter, reachable } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";
import type { TalkState } from "../live-talk.ts";
import { useUsed } from "./use-used.ts";

interface ContextLineProps {
  readonly session: Session;
  readonly state: TalkState;
  /** Grows when a turn ends: the parts are read again. */
  readonly changes: number;
  readonly onCompact: () => void;
}

type Context = OutputOf<"session.context">;

/** How full the model's window is, and with the own engine by what. */
export function ContextLine({ session, state, changes, onCompact }: ContextLineProps) {
  const used = useUsed(state.window.events);
  const [isOpen, setOpen] = useState(false);
  const isOwn = isEngine(session.adapterSlug);
  const isUnknown = used === null && !state.isLoading;
  const context = useCall("session.context", { id: session.id }, { when: isOwn && (isOpen || isUnknown) });
  useEffect(() => {
    if (isOpen) context.again();
  }, [changes]);
  const { tokens, max } = used ?? { tokens: context.value?.tokens ?? 0, max: context.value?.window ?? 0 };
  const meter = max > 0 && <Meter label="Context" value={tokens} max={max} format={countText} />;
  if (!isOwn) return meter === false ? null : <div class="session-context">{meter}</div>;
  return (
    <details class="session-context" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{meter === false ? "Context" : meter}</summary>
      {isOpen && (
        <Parts context={context} isBusy={session.busy || session.endedAt !== undefined} onCompact={onCompact} />
      )}
    </details>
  );
}

interface PartsProps {
  readonly context: Called<Context>;
  readonly isBusy: boolean;
  readonly onCompact: () => void;
}

function Parts({ context: { value, error, again }, isBusy, onCompact }: PartsProps) {
  if (error !== undefined && value === undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Counting the parts …</p>;
  const { parts, tokens, window, model } = value;
  return (
    <div class="card session-context-parts">
      <p class="muted">
        What <SafeText text={model} oneLine /> is sent with the next step, estimated.
      </p>
      <section class="session-context-table" aria-label="Parts of the context" ref={(element) => reachable(element)}>
        <table>
          <thead>
            <tr>
              <th>Part</th>
              <th>From</th>
              <th>Tokens</th>
              <th>Share</th>
            </tr>
          </thead>
          <tbody>
            {parts.map((part, at) => (
              <tr key={at}>
                <td>
                  <SafeText text={part.name} oneLine />
                </td>
                <td class="muted">
                  <SafeText text={part.source} oneLine />
                </td>
                <td>{countText(part.tokens)}</td>
                <td>{shareText(part.tokens, tokens)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Together</th>
              <td class="muted">window {countText(window)}</td>
              <td>{countText(tokens)}</td>
              <td>{shareText(tokens, window)} of the window</td>
            </tr>
          </tfoot>
        </table>
      </section>
      <Button disabled={isBusy} onClick={onCompact}>
        Compact …
      </Button>
    </div>
  );
}

function shareText(part: number, whole: number): string {
  const share = whole <= 0 ? 0 : (part / whole) * 100;
  return share > 0 && share < 1 ? "< 1 %" : `${Math.round(share)} %`;
}
