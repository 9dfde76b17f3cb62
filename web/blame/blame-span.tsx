import { Link } from "../frame/index.ts";
import { Badge } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { type BlameLine, type Span, whoOf } from "./spans.ts";

/** Lines of one origin: on the left who wrote them, on the right the lines. */
export function BlameSpan({ span: { first, lines } }: { readonly span: Span }) {
  return (
    <li class={`blame-span blame-${first.by}`}>
      <div class="blame-origin">
        <Origin line={first} />
      </div>
      <pre class="blame-text">
        {lines.map(({ line, text }) => (
          <span key={line} class="blame-line">
            <span class="blame-number">{line}</span>
            <span>
              <SafeText text={text} strict />
            </span>
            {"\n"}
          </span>
        ))}
      </pre>
    </li>
  );
}

function Origin({ line }: { readonly line: BlameLine }) {
  const { by, sessionId, agent, model, approver, eventId, landingId, proven, reason, commit, path, at } = line;
  const who = <SafeText text={whoOf(line)} strict oneLine />;
  return (
    <>
      <p class="blame-who">
        {sessionId === undefined ? who : <Link to={`/ui/session/${encodeURIComponent(sessionId)}`}>{who}</Link>}{" "}
        {by === "session" && proven !== undefined && (
          <Badge kind={proven ? "good" : "warn"}>{proven ? "proven" : "not proven"}</Badge>
        )}
      </p>
      <p class="muted">
        {agent !== undefined && <SafeText text={[agent, model].filter(Boolean).join(" · ")} strict oneLine />}
        {agent === undefined && commit !== undefined && <code>{commit.slice(0, 12)}</code>}
        {at !== undefined && ` ${at.slice(0, 10)}`}
      </p>
      {approver !== undefined && (
        <p class="muted">
          approved by <SafeText text={approver} strict oneLine />
        </p>
      )}
      {path !== undefined && (
        <p class="muted">
          was <SafeText text={path} strict oneLine />
        </p>
      )}
      {reason !== undefined && (
        <p class="muted">
          <SafeText text={reason} />
        </p>
      )}
      {(eventId !== undefined || landingId !== undefined) && (
        <p class="blame-proof">
          {eventId !== undefined && <Link to={`/ui/audit/event/${encodeURIComponent(eventId)}`}>Proof</Link>}{" "}
          {landingId !== undefined && <Link to={`/ui/landings?id=${encodeURIComponent(landingId)}`}>Landing</Link>}
        </p>
      )}
    </>
  );
}
