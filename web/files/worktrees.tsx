import { useState } from "preact/hooks";
import { confirmed, ErrorCard, nomos, toast, useAction, useCall, useKeys } from "../frame/index.ts";
import { Button, Empty } from "../parts/index.ts";
import { Worktree } from "./worktree.tsx";

const FRESH = { on: /^(?:worktree|session)\./ };

export function Worktrees() {
  const { value, error, again } = useCall("worktree.list", {}, FRESH);
  const [cursor, setCursor] = useState(-1);
  const [open, setOpen] = useState<string | null>(null);
  const { run, isRunning } = useAction();
  const list = value?.worktrees ?? [];
  const move = (step: number): void => {
    const to = Math.max(0, Math.min(list.length - 1, cursor + step));
    setCursor(to);
    document.getElementById(`files-${list[to]?.id}`)?.scrollIntoView({ block: "nearest" });
  };
  useKeys({
    j: { does: "Next worktree", run: () => move(1) },
    k: { does: "Worktree before", run: () => move(-1) },
    Enter: { does: "Show or fold the worktree", run: () => toggle(list[cursor]?.id) },
  });
  const toggle = (id: string | undefined): void => {
    if (id !== undefined) setOpen(open === id ? null : id);
  };
  const collect = async (): Promise<void> => {
    const isSure = await confirmed({
      title: "Remove worktrees that nobody needs?",
      body: "Only those that no session uses and that hold no work. All others stay.",
      yes: "Remove them",
    });
    if (!isSure) return;
    const swept = await run(() => nomos().call("worktree.gc", {}));
    if (swept === undefined) return;
    toast(`Removed ${swept.removed.length}, kept ${swept.kept.length}.`);
    again();
  };
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Loading …</p>;
  if (list.length === 0)
    return (
      <Empty title="No worktree" command="nomos run --worktree 'fix the parser'">
        A session can work in a copy of your repository, on a branch of its own. Its work comes home when you say so,
        and nothing is removed while it holds work that exists nowhere else.
      </Empty>
    );
  return (
    <>
      <div class="files-head">
        <p class="muted">
          {list.length} {list.length === 1 ? "worktree" : "worktrees"}
        </p>
        <Button disabled={isRunning} onClick={() => void collect()}>
          Remove those without work
        </Button>
      </div>
      <ul class="files-list" aria-label="Worktrees">
        {list.map((worktree, at) => (
          <Worktree
            key={worktree.id}
            worktree={worktree}
            isCurrent={at === cursor}
            isOpen={worktree.id === open}
            onToggle={() => toggle(worktree.id)}
            onChange={again}
          />
        ))}
      </ul>
    </>
  );
}
