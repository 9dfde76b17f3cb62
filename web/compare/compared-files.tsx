import { useEffect, useState } from "preact/hooks";
import { nomos } from "../frame/index.ts";
import { Badge, Empty } from "../parts/index.ts";
import { TurnFiles } from "../talk/index.ts";
import { SafeText } from "../text/index.ts";
import type { Side } from "./use-side.ts";

type Sides = readonly [Side, Side];

const TURNS_MAX = 30;

/** Which files each session changed since, and the diffs of its turns. */
export function ComparedFiles({ sides }: { readonly sides: Sides }) {
  const changed = [useChanged(sides[0]), useChanged(sides[1])] as const;
  const paths = [...new Set([...changed[0].keys(), ...changed[1].keys()])].sort();
  return (
    <>
      {paths.length === 0 ? (
        <Empty title="No file changed since then" />
      ) : (
        <table class="compare-table">
          <thead>
            <tr>
              <th>File</th>
              {sides.map(({ session }) => (
                <th key={session.id}>
                  <SafeText text={session.name} oneLine />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {paths.map((path) => (
              <tr key={path}>
                <td class="mono">
                  <SafeText text={path} oneLine strict />{" "}
                  {changed.every((side) => side.has(path)) && <Badge kind="warn">both</Badge>}
                </td>
                {changed.map((side, at) => (
                  <td key={at}>{side.get(path) ?? <span class="muted">–</span>}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div class="compare-sides">
        {sides.map(({ session, turns }) => (
          <section key={session.id} class="compare-side" aria-label={`Files of ${session.name}`}>
            {turns
              .toReversed()
              .slice(0, TURNS_MAX)
              .map((turnId, at) => (
                <div key={turnId} class="compare-turn">
                  <h3>{at === 0 ? "Last turn" : `${at + 1} turns ago`}</h3>
                  <TurnFiles id={session.id} turnId={turnId} />
                </div>
              ))}
          </section>
        ))}
      </div>
    </>
  );
}

/** Per path the last change since the common point. */
function useChanged({ session: { id }, turns }: Side): ReadonlyMap<string, string> {
  const [changed, setChanged] = useState<ReadonlyMap<string, string>>(new Map());
  const key = turns.join(" ");
  useEffect(() => {
    const leave = new AbortController();
    const read = async (): Promise<void> => {
      const found = new Map<string, string>();
      for (const turn of turns.slice(-TURNS_MAX)) {
        const diff = await nomos()
          .call("session.diff", { id, turn }, { signal: leave.signal })
          // The turn's own card below says why it has no files.
          .catch(() => null);
        for (const { path, change } of diff?.files ?? []) found.set(path, change);
      }
      if (!leave.signal.aborted) setChanged(found);
    };
    void read();
    return () => leave.abort();
  }, [id, key]);
  return changed;
}
