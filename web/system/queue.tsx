import { ErrorCard, Link, useCall } from "../frame/index.ts";
import { useSessions } from "../live/index.ts";
import { Button, Empty } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

export function Queue() {
  const { value, error, again, isLoading } = useCall(
    "queue.list",
    { limit: 200 },
    { on: /^(?:turn|queue|lane|approval)/ },
  );
  const names = new Map(useSessions().map(({ id, name }) => [id, name]));
  return (
    <>
      <div class="page-head">
        <h1>Queue</h1>
        <Button onClick={again} disabled={isLoading}>
          Read again
        </Button>
      </div>
      <p class="muted">Everything that waits for its turn, and why.</p>
      {error !== undefined && <ErrorCard error={error} again={again} />}
      {value?.waits.length === 0 && (
        <Empty title="Nothing waits" command="nomos prompt SESSION --queue 'and then this'">
          A prompt to a busy session is queued here, and so are items of lanes that are full.
        </Empty>
      )}
      {value !== undefined && value.waits.length > 0 && (
        <table class="system-table">
          <thead>
            <tr>
              <th>What</th>
              <th>Lane</th>
              <th>Priority</th>
              <th>Waits because</th>
            </tr>
          </thead>
          <tbody>
            {value.waits.map(({ item, stream, lane, priority, reason }) => {
              const [, sessionId] = /^session\/(.+)$/.exec(stream) ?? [];
              return (
                <tr key={`${stream} ${item}`}>
                  <td>
                    {sessionId === undefined ? (
                      <SafeText text={stream} oneLine />
                    ) : (
                      <Link to={`/ui/session/${sessionId}`}>{names.get(sessionId) ?? sessionId}</Link>
                    )}
                  </td>
                  <td class="mono">
                    <SafeText text={lane.replace(/^session\/.*/, "its own")} oneLine />
                  </td>
                  <td>{priority}</td>
                  <td>
                    <SafeText text={reason} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {value?.next != null && <p class="muted">These are the first 200.</p>}
    </>
  );
}
