import type { OutputOf } from "../../src/client/index.ts";
import { ErrorCard, useCall } from "../frame/index.ts";
import { Ago, Badge, Copy, CopyButton, Empty } from "../parts/index.ts";
import { ExportCard } from "./export-card.tsx";
import type { Witnessed } from "./proof/witness.ts";
import { VerifyCard } from "./verify-card.tsx";

/** What stands behind the log: checkpoint, anchors, this browser, and two ways to check all of it. */
export function Evidence({ witnessed }: { readonly witnessed: Witnessed | undefined }) {
  const status = useCall("system.status", {}, { on: /^(?:log|anchor|lease)\./ });
  const checkpoint = useCall("audit.checkpoint", {}, { on: /^(?:log|anchor|lease)\./ });
  const error = status.error ?? checkpoint.error;
  if (error !== undefined) return <ErrorCard error={error} again={status.again} />;
  return (
    <div class="audit-cards">
      {checkpoint.value !== undefined && status.value !== undefined && (
        <CheckpointCard checkpoint={checkpoint.value} tree={status.value.tree} />
      )}
      <BrowserCard witnessed={witnessed} />
      <VerifyCard />
      <ExportCard />
      {status.value !== undefined && <AnchorsCard anchors={status.value.tree.anchors} />}
    </div>
  );
}

type Tree = OutputOf<"system.status">["tree"];

function CheckpointCard({
  checkpoint,
  tree,
}: {
  readonly checkpoint: OutputOf<"audit.checkpoint">;
  readonly tree: Tree;
}) {
  return (
    <section class="audit-card" aria-labelledby="audit-checkpoint">
      <h2 id="audit-checkpoint">Signed checkpoint</h2>
      <dl class="audit-facts">
        <div>
          <dt>Events</dt>
          <dd>{checkpoint.size.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>Signed</dt>
          <dd>{tree.checkpointAt === null ? "not yet" : <Ago at={tree.checkpointAt} />}</dd>
        </div>
        <div>
          <dt>Root</dt>
          <dd>
            <code>{checkpoint.root.slice(0, 20)}…</code> <CopyButton text={checkpoint.root} />
          </dd>
        </div>
        <div>
          <dt>Not in the tree yet</dt>
          <dd>{tree.lag === 0 ? "nothing" : `${tree.lag} events`}</dd>
        </div>
        <div>
          <dt>Witness</dt>
          <dd>{checkpoint.cosigned === null ? "none signed it" : "signed by a witness too"}</dd>
        </div>
      </dl>
      {tree.problem !== null && <p class="audit-problem">{tree.problem}</p>}
      <p class="muted">The key that verifies it. Give it to whoever should be able to check:</p>
      <Copy text={checkpoint.key} label={`${checkpoint.key.slice(0, 34)}…`} />
    </section>
  );
}

function BrowserCard({ witnessed }: { readonly witnessed: Witnessed | undefined }) {
  return (
    <section class="audit-card" aria-labelledby="audit-browser">
      <h2 id="audit-browser">This browser as a witness</h2>
      <p>{witnessed?.says ?? "Looking …"}</p>
      {witnessed?.remembered != null && (
        <dl class="audit-facts">
          <div>
            <dt>Saw</dt>
            <dd>
              {witnessed.remembered.size.toLocaleString("en")} events, <Ago at={witnessed.remembered.at} /> ago
            </dd>
          </div>
          <div>
            <dt>Root</dt>
            <dd>
              <code>{witnessed.remembered.root.slice(0, 20)}…</code>
            </dd>
          </div>
        </dl>
      )}
      <p class="muted">
        It keeps the key it saw first and the newest log it verified. At each visit the daemon has to prove that the log
        still begins with it. Clearing the browser's data forgets it.
      </p>
    </section>
  );
}

function AnchorsCard({ anchors }: { readonly anchors: Tree["anchors"] }) {
  return (
    <section class="audit-card audit-card-wide" aria-labelledby="audit-anchors">
      <h2 id="audit-anchors">Anchors</h2>
      {anchors.length === 0 ? (
        <Empty title="No anchor keeps the checkpoints elsewhere" command="nomos doc read guide/backup.md">
          Whoever can write the home can sign. An anchor is a git repository or a witness that they cannot write: name
          one under <code>anchors</code> in the settings.
        </Empty>
      ) : (
        <table>
          <thead>
            <tr>
              <th>Anchor</th>
              <th>Where</th>
              <th>Has</th>
              <th>Since</th>
              <th>Problem</th>
            </tr>
          </thead>
          <tbody>
            {anchors.map(({ kind, where, size, at, problem }) => (
              <tr key={`${kind} ${where}`}>
                <td>{kind}</td>
                <td class="mono">{where}</td>
                <td>{size === null ? "nothing yet" : `${size} events`}</td>
                <td>{at === null ? "–" : <Ago at={at} />}</td>
                <td>
                  {problem === null ? (
                    <Badge kind="good">agrees</Badge>
                  ) : (
                    <>
                      <Badge kind={problem.code === "anchor_disagrees" ? "bad" : "warn"}>{problem.code}</Badge>{" "}
                      {problem.message}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
