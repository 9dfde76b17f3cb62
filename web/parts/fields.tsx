import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly children: (id: string) => ComponentChildren;
}

export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <small class="muted">{hint}</small>}
    </div>
  );
}

interface SelectProps {
  readonly id?: string;
  readonly label?: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}

export function Select({ id, label, value, options, onChange }: SelectProps) {
  return (
    <select id={id} aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** `done` of `total`; without a total it only says that something happens. */
export function Progress({
  label,
  done,
  total,
}: {
  readonly label: string;
  readonly done?: number;
  readonly total?: number;
}) {
  const isKnown = done !== undefined && total !== undefined && total > 0;
  return <progress class="progress" aria-label={label} {...(isKnown ? { value: done, max: total } : {})} />;
}
