import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { nomos, useAction } from "../frame/index.ts";
import { Button, bytesText } from "../parts/index.ts";
import type { StoredText } from "./entry.ts";

interface StoredTextViewProps {
  readonly body: StoredText;
  readonly children: (text: string) => ComponentChildren;
}

/** A text; of a large one its beginning, until somebody asks for all of it. */
export function StoredTextView({ body, children }: StoredTextViewProps) {
  const [whole, setWhole] = useState<string | null>(null);
  const { run, isRunning } = useAction();
  const { blob } = body;
  const read = async (): Promise<void> => {
    if (blob === null) return;
    const answer = await run(() => nomos().call("blob.read", { sha256: blob }));
    if (answer !== undefined)
      setWhole(answer.encoding === "utf8" ? answer.content : `(${bytesText(answer.bytes)} that are no text)`);
  };
  return (
    <>
      {children(whole ?? body.text)}
      {blob !== null && whole === null && (
        <Button kind="quiet" disabled={isRunning} onClick={() => void read()}>
          Show all {bytesText(body.bytes)}
        </Button>
      )}
    </>
  );
}
