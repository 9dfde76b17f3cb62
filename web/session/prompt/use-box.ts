import { useState } from "preact/hooks";
import { toast } from "../../frame/index.ts";
import { type Attached, attachedFrom } from "./attachments.ts";
import { readDraft, writeDraft } from "./drafts.ts";
import { useHistory } from "./use-history.ts";
import { type Sending, useSend } from "./use-send.ts";

/** What becomes of a prompt while a turn runs. */
export type How = "queue" | "interrupt" | "steer";

/** What stands in the prompt box, until the daemon has it. */
export interface Box {
  readonly text: string;
  readonly attached: readonly Attached[];
  readonly sending: Sending;
  readonly write: (text: string) => void;
  readonly attach: (files: Iterable<File>) => void;
  readonly remove: (at: number) => void;
  readonly submit: (how?: How) => void;
  readonly recall: (by: 1 | -1) => void;
  readonly giveUp: () => void;
}

/** `usual`: how a prompt is sent when nothing else is said. */
export function useBox(id: string, usual: How): Box {
  const [text, setText] = useState(() => readDraft(id).text);
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const { sending, send, giveUp } = useSend(id);
  const history = useHistory(id);
  const write = (to: string): void => {
    setText(to);
    writeDraft(id, { text: to, sent: readDraft(id).sent });
  };
  const submit = async (asked: How): Promise<void> => {
    if (sending !== "no" || (text.trim() === "" && attached.length === 0)) return;
    const attachments = attached.map(({ bytes: _bytes, ...rest }) => rest);
    // A steering message takes no attachments.
    const how = asked === "steer" && attached.length > 0 ? "queue" : asked;
    const answer = await send({
      ...{ id, prompt: text, queue: true },
      ...(how === "queue" ? {} : { [how]: true }),
      ...(attachments.length === 0 ? {} : { attachments }),
    });
    if (answer === undefined) return;
    writeDraft(id, { text: "", sent: null });
    setText("");
    setAttached([]);
  };
  return {
    ...{ text, attached, sending, write, giveUp },
    attach: (files) =>
      void attachedFrom(files).then(
        (added) => setAttached((before) => [...before, ...added]),
        () => toast("A file could not be read."),
      ),
    remove: (gone) => setAttached(attached.filter((_one, at) => at !== gone)),
    submit: (how = usual) => void submit(how),
    recall: (by) =>
      void history(by, text).then(
        (found) => found !== null && write(found),
        () => undefined,
      ),
  };
}
