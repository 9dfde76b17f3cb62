import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../src/client/index.ts";
import { confirmed, navigate, nomos, toast, useAction, useKeys, usePaletteEntries } from "../frame/index.ts";
import { Button, IconButton } from "../parts/index.ts";
import { RenameDialog } from "./rename.tsx";

interface Deed {
  readonly name: string;
  readonly run: () => void;
  readonly danger?: boolean;
}

/** What can be done with the session as a whole. */
export function SessionMenu({ session }: { readonly session: Session }) {
  const [isOpen, setOpen] = useState(false);
  const [isRenaming, setRenaming] = useState(false);
  const { run, isRunning } = useAction();
  const box = useRef<HTMLDivElement>(null);
  const deeds = deedsFor(session, run, () => setRenaming(true));
  usePaletteEntries(deeds.map(({ name, run: act }) => ({ name: `${name} this session`, run: act })));
  const interrupt = (): void => void run(() => nomos().call("session.interrupt", { id: session.id }));
  useKeys({ i: { does: "Interrupt the turn", run: () => session.busy && interrupt() } });
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event): void => {
      const isInside = event.target instanceof Node && box.current?.contains(event.target) === true;
      if (!isInside || (event instanceof KeyboardEvent && event.key === "Escape")) setOpen(false);
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    return () => {
      removeEventListener("pointerdown", close);
      removeEventListener("keydown", close);
    };
  }, [isOpen]);
  return (
    <div class="session-menu" ref={box}>
      {session.busy && (
        <Button icon="stop" keyName="i" disabled={isRunning} onClick={interrupt}>
          Interrupt
        </Button>
      )}
      <IconButton icon="more" name="More actions" pressed={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <ul class="session-menu-list">
          {deeds.map(({ name, run: act, danger = false }) => (
            <li key={name}>
              <Button
                kind={danger ? "danger" : "quiet"}
                onClick={() => {
                  setOpen(false);
                  act();
                }}
              >
                {name}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isRenaming && <RenameDialog session={session} onClose={() => setRenaming(false)} />}
    </div>
  );
}

type Run = ReturnType<typeof useAction>["run"];

function deedsFor({ id, name, state, endedAt }: Session, run: Run, rename: () => void): readonly Deed[] {
  const after = async (work: () => Promise<unknown>, said: string): Promise<boolean> => {
    const answer = await run(work);
    if (answer !== undefined) toast(said);
    return answer !== undefined;
  };
  const life: Deed[] =
    endedAt !== undefined
      ? []
      : [
          state === "suspended"
            ? { name: "Resume", run: () => void after(() => nomos().call("session.resume", { id }), "Resumed.") }
            : { name: "Suspend", run: () => void after(() => nomos().call("session.suspend", { id }), "Suspended.") },
          {
            name: "Hibernate",
            run: () => void after(() => nomos().call("session.hibernate", { id }), "The next prompt wakes it."),
          },
          { name: "Kill", danger: true, run: () => void killed() },
        ];
  const killed = async (): Promise<void> => {
    const body = "Its processes end now. Its transcript and its files are kept.";
    if (!(await confirmed({ title: `Kill ${name}?`, body, yes: "Kill", danger: true }))) return;
    await after(() => nomos().call("session.kill", { id }), "Killed.");
  };
  const forgotten = async (): Promise<void> => {
    const body = "It leaves every list, and is killed first if it runs. Its events stay in the log.";
    if (!(await confirmed({ title: `Forget ${name}?`, body, yes: "Forget", danger: true }))) return;
    if (await after(() => nomos().call("session.forget", { id }), "Forgotten.")) navigate("/ui/now");
  };
  const forked = async (): Promise<void> => {
    const fork = await run(() => nomos().call("session.fork", { id }));
    if (fork !== undefined) navigate(`/ui/session/${encodeURIComponent(fork.id)}`);
  };
  const first: Deed[] = [
    { name: "Rename", run: rename },
    { name: "Fork", run: () => void forked() },
  ];
  return [...first, ...life, { name: "Forget", danger: true, run: () => void forgotten() }];
}
