import { useState } from "preact/hooks";
import { ClientError, type OutputOf } from "../../src/client/index.ts";
import { confirmed, ErrorCard, nomos, toast } from "../frame/index.ts";
import { Badge, Button } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

type Applied = OutputOf<"worktree.apply">;

/** Bring home, or remove. A refusal stays in sight with its remedy, because it names files. */
export function WorktreeActions({ id, onChange }: { readonly id: string; readonly onChange: () => void }) {
  const [told, setTold] = useState<Applied | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [isRunning, setRunning] = useState(false);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setError(undefined);
    setRunning(true);
    await work().catch(async (thrown: unknown) => {
      setError(thrown);
      // The refusal names no lines: a dry run does.
      if (thrown instanceof ClientError && thrown.code === "worktree_conflicts")
        setTold(await nomos().call("worktree.apply", { id, dryRun: true }));
    });
    setRunning(false);
  };
  const look = () =>
    run(async () => {
      setTold(await nomos().call("worktree.apply", { id, dryRun: true }));
    });
  const apply = () =>
    run(async () => {
      const done = await nomos().call("worktree.apply", { id });
      setTold(done);
      if (done.ok) toast(`Brought ${done.applied.length + done.more} files home to ${done.repository}.`);
      onChange();
    });
  const remove = async (): Promise<void> => {
    const isSure = await confirmed({
      title: "Remove this worktree?",
      body: "The folder goes. It is refused while it holds work that exists nowhere else, or while a session uses it.",
      yes: "Remove it",
      danger: true,
    });
    if (!isSure) return;
    await run(async () => {
      await nomos().call("worktree.remove", { id });
      toast("Removed the worktree.");
      onChange();
    });
  };
  return (
    <div class="files-actions">
      <div class="files-buttons">
        <Button disabled={isRunning} onClick={() => void look()}>
          What would come home?
        </Button>
        <Button kind="primary" disabled={isRunning} onClick={() => void apply()}>
          Bring it home
        </Button>
        <Button kind="danger" disabled={isRunning} onClick={() => void remove()}>
          Remove
        </Button>
      </div>
      {error !== undefined && <ErrorCard error={error} />}
      {told !== null && <Told told={told} />}
    </div>
  );
}

function Told({ told: { ok, dryRun, applied, more, conflicts, nested, repository } }: { readonly told: Applied }) {
  const count = applied.length + more;
  const files = `${count} ${count === 1 ? "file" : "files"}`;
  return (
    <div role="status" class="files-told">
      <p>
        <Badge kind={conflicts.length > 0 ? "bad" : "good"}>
          {conflicts.length > 0 ? `${conflicts.length} in conflict` : dryRun ? "would work" : "brought home"}
        </Badge>{" "}
        {ok && !dryRun ? `${files} changed in` : `${files} would change in`} <code>{repository}</code>
      </p>
      {conflicts.length > 0 && (
        <>
          <p>You and the session changed the same lines. Commit or undo yours, then try again:</p>
          <ul>
            {conflicts.map(({ path, reason }) => (
              <li key={path}>
                <code>
                  <SafeText text={path} strict oneLine />
                </code>{" "}
                <SafeText text={reason} />
              </li>
            ))}
          </ul>
        </>
      )}
      {count > 0 && (
        <details>
          <summary>{files}</summary>
          <ul>
            {applied.map((path) => (
              <li key={path} class="mono">
                <SafeText text={path} strict oneLine />
              </li>
            ))}
            {more > 0 && <li class="muted">and {more} more</li>}
          </ul>
        </details>
      )}
      {nested.length > 0 && <p class="muted">Repositories inside stay there: {nested.join(", ")}</p>}
    </div>
  );
}
