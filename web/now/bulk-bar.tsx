import { confirmed, nomos, toast, useAction } from "../frame/index.ts";
import { Button } from "../parts/index.ts";

interface BulkAction {
  readonly name: string;
  readonly done: string;
  readonly danger?: boolean;
  readonly run: (id: string) => Promise<unknown>;
}

const ACTIONS: readonly BulkAction[] = [
  { name: "Interrupt", done: "interrupted", run: (id) => nomos().call("session.interrupt", { id }) },
  { name: "Suspend", done: "suspended", run: (id) => nomos().call("session.suspend", { id }) },
  { name: "Resume", done: "resumed", run: (id) => nomos().call("session.resume", { id }) },
  { name: "Hibernate", done: "hibernated", run: (id) => nomos().call("session.hibernate", { id }) },
  { name: "Kill", done: "killed", danger: true, run: (id) => nomos().call("session.kill", { id }) },
];

/** What can be done to all selected sessions. One that refuses stops none of the others. */
export function BulkBar({ picked, onDone }: { readonly picked: ReadonlySet<string>; readonly onDone: () => void }) {
  const { run, isRunning } = useAction();
  if (picked.size === 0) return null;
  const count = picked.size === 1 ? "1 session" : `${picked.size} sessions`;
  const act = async ({ name, done, danger = false, run: one }: BulkAction): Promise<void> => {
    const body = "Their files, transcripts and events stay.";
    if (danger && !(await confirmed({ title: `${name} ${count}?`, body, yes: name, danger }))) return;
    const results = await Promise.all([...picked].map((id) => run(() => one(id))));
    toast(`${results.filter((result) => result !== undefined).length} of ${count} ${done}`);
    onDone();
  };
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Selected sessions">
      <strong>{count} selected</strong>
      {ACTIONS.map((action) => (
        <Button
          key={action.name}
          disabled={isRunning}
          {...(action.danger === true ? { kind: "danger" as const } : {})}
          onClick={() => void act(action)}
        >
          {action.name}
        </Button>
      ))}
      <Button kind="quiet" onClick={onDone}>
        Clear
      </Button>
    </div>
  );
}
