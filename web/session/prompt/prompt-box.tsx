import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../../src/client/index.ts";
import { isEngine } from "../../engine/index.ts";
import { nomos, useAction, useKeys } from "../../frame/index.ts";
import { Button, bytesText, IconButton } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";
import type { TalkState } from "../live-talk.ts";
import type { Attached } from "./attachments.ts";
import { type Command, CommandList, commandText, matching } from "./commands.tsx";
import { Pickers, useOffer } from "./pickers.tsx";
import { Queue } from "./queue.tsx";
import { type Box, useBox } from "./use-box.ts";

interface PromptBoxProps {
  readonly session: Session;
  readonly state: TalkState;
}

export function PromptBox({ session, state }: PromptBoxProps) {
  const { id, endedAt } = session;
  if (endedAt !== undefined)
    return <p class="session-over muted">This session has ended. Fork it from any event of the timeline to go on.</p>;
  if (session.state === "suspended") return <Suspended id={id} />;
  return <OpenBox session={session} state={state} />;
}

function Suspended({ id }: { readonly id: string }) {
  const { run, isRunning } = useAction();
  return (
    <div class="session-over">
      <span class="muted">This session is suspended; its queue waits.</span>
      <Button icon="play" disabled={isRunning} onClick={() => void run(() => nomos().call("session.resume", { id }))}>
        Resume
      </Button>
    </div>
  );
}

function OpenBox({ session, state }: PromptBoxProps) {
  const { id, busy, queued } = session;
  const canSteer = busy && isEngine(session.adapterSlug);
  const box = useBox(id, canSteer ? "steer" : "queue");
  const { attached, sending } = box;
  const driverSeq =
    state.window.events.findLast(({ type }) => /^driver\.(?:offered|configured|switched)/.test(type))?.seq ?? 0;
  const offer = useOffer(id, driverSeq);
  return (
    <div class="session-prompt">
      <Queue id={id} queued={queued} />
      {attached.length > 0 && <AttachedList attached={attached} onRemove={box.remove} />}
      <Writing box={box} commands={offer.value?.offer?.commands ?? []} hint={hintFor(busy, canSteer)} />
      <div class="session-prompt-foot">
        <FilePicker onFiles={box.attach} />
        <Pickers id={id} driver={session.adapterSlug} offer={offer} />
        <span class="session-sending muted" role="status">
          {sending === "waiting" ? "The daemon does not answer. The prompt is sent when it is back." : ""}
        </span>
        {sending === "waiting" && <Button onClick={box.giveUp}>Stop trying</Button>}
        <SendButtons box={box} isBusy={busy} canSteer={canSteer && attached.length === 0} />
      </div>
    </div>
  );
}

interface SendButtonsProps {
  readonly box: Box;
  readonly isBusy: boolean;
  readonly canSteer: boolean;
}

/** The last one is what Enter does. */
function SendButtons({ box, isBusy, canSteer }: SendButtonsProps) {
  const disabled = box.sending !== "no";
  const hasText = box.text.trim() !== "";
  return (
    <div class="session-send">
      {isBusy && hasText && (
        <Button {...{ disabled }} onClick={() => box.submit("interrupt")}>
          Interrupt and send
        </Button>
      )}
      {canSteer && hasText && (
        <Button {...{ disabled }} title="It becomes the next turn" onClick={() => box.submit("queue")}>
          Queue
        </Button>
      )}
      <Button kind="primary" {...{ disabled }} onClick={() => box.submit()}>
        {canSteer ? "Steer" : isBusy ? "Queue" : "Send"}
      </Button>
    </div>
  );
}

function hintFor(isBusy: boolean, canSteer: boolean): string {
  if (canSteer) return "Steer: it reads this with its next step";
  return isBusy ? "Queue the next prompt" : "Write a prompt";
}

interface WritingProps {
  readonly box: Box;
  readonly commands: readonly Command[];
  readonly hint: string;
}

function Writing({ box, commands, hint }: WritingProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [at, setAt] = useState(0);
  const found = matching(commands, box.text);
  useGrowing(field, box.text);
  useKeys({ p: { does: "Write a prompt", run: () => field.current?.focus() } });
  const takeFiles = (event: Event, files: FileList | undefined): void => {
    if (files === undefined || files.length === 0) return;
    event.preventDefault();
    box.attach([...files]);
  };
  return (
    <>
      <CommandList commands={found} at={at} onChoose={(command) => box.write(commandText(command))} />
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label="Prompt"
        aria-controls={found.length > 0 ? "session-commands" : undefined}
        aria-activedescendant={found.length > 0 ? `session-command-${at}` : undefined}
        placeholder={hint}
        value={box.text}
        readOnly={box.sending !== "no"}
        onInput={({ currentTarget }) => {
          setAt(0);
          box.write(currentTarget.value);
        }}
        onKeyDown={(event) => onKey(event, { box, found, at, setAt })}
        onPaste={(event) => takeFiles(event, event.clipboardData?.files)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => takeFiles(event, event.dataTransfer?.files)}
      />
    </>
  );
}

interface Typing {
  readonly box: Box;
  readonly found: readonly Command[];
  readonly at: number;
  readonly setAt: (at: number) => void;
}

function onKey(event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }, typing: Typing): void {
  const { box, found, at, setAt } = typing;
  const { key, currentTarget: field } = event;
  if (event.isComposing || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
  const command = found[at];
  const isArrow = key === "ArrowDown" || key === "ArrowUp";
  const act = (): void => {
    if (command !== undefined && isArrow) setAt((at + (key === "ArrowDown" ? 1 : -1) + found.length) % found.length);
    else if (command !== undefined) box.write(commandText(command));
    else if (key === "Enter") box.submit();
    else box.recall(key === "ArrowUp" ? 1 : -1);
  };
  const isEdge = key === "ArrowUp" ? field.selectionEnd === 0 : field.selectionStart === box.text.length;
  const isMeant =
    (command !== undefined && (isArrow || key === "Tab" || key === "Enter")) ||
    // On a phone the key makes a new line; the button sends.
    (key === "Enter" && !matchMedia("(pointer: coarse)").matches) ||
    (isArrow && isEdge);
  if (key === "Escape") field.blur();
  if (!isMeant) return;
  event.preventDefault();
  act();
}

const HEIGHT_MAX_PX = 260;

/** The box grows with its text. */
function useGrowing(box: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useEffect(() => {
    if (box.current === null) return;
    box.current.style.height = "auto";
    box.current.style.height = `${Math.min(HEIGHT_MAX_PX, box.current.scrollHeight + 2)}px`;
  }, [text]);
}

function FilePicker({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="attach" name="Attach files" onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ currentTarget }) => {
          onFiles(currentTarget.files ?? []);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

interface AttachedListProps {
  readonly attached: readonly Attached[];
  readonly onRemove: (at: number) => void;
}

function AttachedList({ attached, onRemove }: AttachedListProps) {
  return (
    <ul class="session-attached" aria-label="Attachments">
      {attached.map(({ name, bytes }, at) => (
        <li key={at}>
          <SafeText text={name} oneLine /> <span class="muted">{bytesText(bytes)}</span>
          <IconButton icon="close" name={`Remove attachment ${at + 1}`} onClick={() => onRemove(at)} />
        </li>
      ))}
    </ul>
  );
}
