import type { RefObject } from "preact";
import { Field } from "../parts/index.ts";

interface SecretValueProps {
  readonly label: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/**
 * Takes a value of several lines, as a private key has, and shows dots. The value stays in the element: it is in no state, no
 * address and no storage of the page, and a browser neither completes nor checks the spelling of it.
 */
export function SecretValue({ label, field }: SecretValueProps) {
  return (
    <Field label={label} hint="8 to 65,536 bytes. It is never shown again.">
      {(id) => (
        <textarea
          id={id}
          ref={field}
          class="secrets-value"
          rows={2}
          required
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          data-1p-ignore
          data-lpignore="true"
        />
      )}
    </Field>
  );
}

/** The value as it was given, without the line feed that a copied line ends with. */
export function valueIn(field: RefObject<HTMLTextAreaElement | null>): string {
  return (field.current?.value ?? "").replace(/\n$/, "");
}

export function emptyField(field: RefObject<HTMLTextAreaElement | null> | RefObject<HTMLInputElement | null>): void {
  if (field.current !== null) field.current.value = "";
}
