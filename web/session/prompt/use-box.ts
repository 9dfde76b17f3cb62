import { useState } from "preact/hooks";
import { toast } from "../../frame/index.ts";
import { type Attached, attachedFrom } from "./attachments.ts";
import { readDraft, writeDraft } from "./drafts.ts";
import { useHistory } from "./use-history.ts";
import { type Sending, useSend } from "./use-send.ts";

/** What stands in the prompt box, until the daemon has it. */
export interface Box {
  readonly text: string;
  readonly attached: readonly Attached[];
  readonly sending: Sending;
  readonly write: (text: string) => void;
  readonly attach: (files: Iterable<File>) => void;
  readonly remove: (at: number) => void;
  readonly submit: (settings?: { readonly interrupt: boolean }) => void;
  readonly recall: (by: 1 | -1) => void;
  readonly giveUp: () => void;
}

export function useBox(id: string): Box {
  const [text, setText] = useState(() => readDraft(id).text);
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const { sending, send, giveUp } = useSend(id);
  const history = useHistory(id);
  const write = (to: string): void => {
    setText(to);
    writeDraft(id, { text: to, sent: readDraft(id).sent });
  };
  const submit = async (interrupt: boolean): Promise<void> => {
    if (sending !== "no" || (text.trim() === "" && attached.length === 0)) return;
    const attachments = attached.map(({ bytes: _bytes, ...rest }) => rest);
    const answer = await send({
      ...{ id, prompt: text, queue: true },
      ...(interrupt ? { interrupt } : {}),
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
    submit: (settings) => void submit(settings?.interrupt ?? false),
    recall: (by) =>
      void history(by, text).then(
        (found) => found !== null && write(found),
        () => undefined,
      ),
  };
}
