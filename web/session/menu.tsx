import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../src/client/index.ts";
import { isEngine } from "../engine/index.ts";
import { confirmed, navigate, nomos, toast, useAction, useKeys, usePaletteEntries } from "../frame/index.ts";
import { LandDialog } from "../landing/index.ts";
import { Button, IconButton } from "../parts/index.ts";
import { RenameDialog } from "./dialogs/rename-dialog.tsx";
import { SwitchDialog } from "./dialogs/switch-dialog.tsx";

interface Deed {
  readonly name: string;
  readonly run: () => void;
  readonly danger?: boolean;
}

interface SessionMenuProps {
  readonly session: Session;
  readonly onCompact: () => void;
}

/** What can be done with the session as a whole. */
export function SessionMenu({ session, onCompact }: SessionMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const [dialog, setDialog] = useState<"rename" | "switch" | "land" | null>(null);
  const { run, isRunning } = useAction();
  const box = useRef<HTMLDivElement>(null);
  const deeds = deedsFor(session, run, {
    rename: () => setDialog("rename"),
    change: () => setDialog("switch"),
    compact: onCompact,
    land: () => setDialog("land"),
  });
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
      {dialog === "rename" && <RenameDialog session={session} onClose={() => setDialog(null)} />}
      {dialog === "land" && <LandDialog session={session} onClose={() => setDialog(null)} />}
      {dialog === "switch" && <SwitchDialog session={session} onClose={() => setDialog(null)} />}
    </div>
  );
}

type Run = ReturnType<typeof useAction>["run"];

interface Dialogs {
  readonly rename: () => void;
  readonly change: () => void;
  readonly compact: () => void;
  readonly land: () => void;
}

function deedsFor(session: Session, run: Run, dialogs: Dialogs): readonly Deed[] {
  const { id, name, state, endedAt } = session;
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
    { name: "Rename", run: dialogs.rename },
    { name: "Fork", run: () => void forked() },
    { name: "Land", run: dialogs.land },
  ];
  const isIdle = endedAt === undefined && !session.busy;
  const talk: Deed[] = [
    ...(endedAt === undefined ? [{ name: "Change agent or model", run: dialogs.change }] : []),
    ...(isIdle && isEngine(session.adapterSlug) ? [{ name: "Compact", run: dialogs.compact }] : []),
  ];
  return [...first, ...talk, ...life, { name: "Forget", danger: true, run: () => void forgotten() }];
}
