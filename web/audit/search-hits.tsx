import { ErrorCard, Link, useCall } from "../frame/index.ts";
import { Empty, StateBadge } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { addressOfEvent } from "./entries.tsx";

const HITS_MAX = 50;

/** Where sessions said or were told these words. */
export function SearchHits({ words }: { readonly words: string }) {
  const { value, error, again, isLoading } = useCall("session.search", { q: words, limit: HITS_MAX });
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Searching …</p>;
  if (value.hits.length === 0)
    return (
      <Empty title="No session said this" command={`nomos search '${words.replaceAll("'", "")}'`}>
        The search looks through prompts and answers of all sessions, by whole words.
      </Empty>
    );
  return (
    <ul class="audit-hits" aria-label="Found" aria-busy={isLoading}>
      {value.hits.map(({ eventId, sessionId, snippet, session }) => (
        <li key={eventId}>
          <div class="audit-hit-head">
            <StateBadge session={session} isShort />
            <Link to={`/ui/session/${sessionId}`}>
              <SafeText text={session.title ?? session.name} oneLine />
            </Link>
            <span class="muted">{session.agent}</span>
            <Link to={addressOfEvent(eventId)}>the event</Link>
          </div>
          <p>
            <SafeText text={snippet} />
          </p>
        </li>
      ))}
    </ul>
  );
}
