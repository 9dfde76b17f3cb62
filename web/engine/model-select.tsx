import { Link, useCall } from "../frame/index.ts";
import { Select } from "../parts/index.ts";

interface ModelSelectProps {
  readonly id?: string;
  readonly label?: string;
  /** Empty: the default model. */
  readonly value: string;
  /** False: a model was chosen, and there is no way back to none. */
  readonly mayBeDefault?: boolean;
  /** What an empty choice means, where it is not the default model. */
  readonly none?: string;
  readonly onChange: (model: string) => void;
}

const LIST_MAX = 1_000;

/** One of the models that the own engine can use. */
export function ModelSelect({ id, label, value, mayBeDefault = true, none, onChange }: ModelSelectProps) {
  const { value: list } = useCall("model.list", { limit: LIST_MAX });
  const models = list?.models ?? [];
  const isKnown = value === "" || models.some(({ name }) => name === value);
  const first = none ?? (list?.default == null ? "choose a model" : `default: ${list.default}`);
  const options = [
    ...(mayBeDefault || value === "" ? [["", first] as const] : []),
    ...(isKnown ? [] : [[value, value] as const]),
    ...models.map(({ name, key }) => [name, key?.isThere === false ? `${name} (its key is missing)` : name] as const),
  ];
  return (
    <Select
      {...(id === undefined ? {} : { id })}
      {...(label === undefined ? {} : { label })}
      {...{ value, options, onChange }}
    />
  );
}

export function ModelsHint() {
  return <Link to="/ui/models">Add or test models</Link>;
}
