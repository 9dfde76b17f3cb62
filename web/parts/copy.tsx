import { useState } from "preact/hooks";
import { IconButton } from "./button.tsx";

const SAID_MS = 1_500;

/** A command or an id, and a button that copies it. */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <span class="copy">
      <code>{label ?? text}</code>
      <CopyButton text={text} />
    </span>
  );
}

export function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  };
  return (
    <IconButton
      icon={isCopied ? "check" : "copy"}
      name={isCopied ? "Copied" : "Copy"}
      onClick={() => void copy().catch(() => undefined)}
    />
  );
}
