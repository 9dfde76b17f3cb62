import { useEffect, useState } from "preact/hooks";
import type { OutputOf } from "../../../src/client/index.ts";
import { nomos, toast, useAction } from "../../frame/index.ts";
import { Badge, Button, bytesText, Select } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";
import { changeOf, inputOf, type Kind, kindOf, parsedInput } from "./setting-values.ts";

type Explained = OutputOf<"config.explain">["settings"][number];

interface SettingProps {
  readonly setting: Explained;
  /** The whole configuration: some members are set only together. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly onChange: () => void;
}

export function Setting({ setting, config, onChange }: SettingProps) {
  const { key, value, from, default: byDefault, restart, meaning, schema } = setting;
  const kind = kindOf(schema);
  const [text, setText] = useState(inputOf(kind, value));
  useEffect(() => setText(inputOf(kind, value)), [JSON.stringify(value)]);
  const { run, isRunning } = useAction();
  const give = async (given: unknown): Promise<void> => {
    const done = await run(() => nomos().call("config.set", { config: changeOf(config, key, given) }));
    if (done === undefined) return;
    toast(done.restart.length === 0 ? `${key} is in force.` : `${key} takes effect after \`nomos restart\`.`);
    onChange();
  };
  const isFixed = from === "environment" || from === "option";
  const read = parsedInput(kind, text);
  return (
    <li class="system-setting">
      <div class="system-setting-text">
        <strong class="mono">{key}</strong> <From from={from} /> {restart && <Badge>needs a restart</Badge>}
        <p class="muted">
          <SafeText text={meaning} />
        </p>
        <p class="muted">
          Default: <code>{byDefault === null ? "none" : said(key, byDefault)}</code>
          {typeof value === "number" && /Bytes/.test(key) && `, now ${bytesText(value)}`}
        </p>
      </div>
      <form
        class="system-setting-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (read.ok) void give(read.value);
        }}
      >
        <SettingInput name={key} kind={kind} text={text} isFixed={isFixed} onText={setText} />
        <div class="system-buttons">
          <Button type="submit" disabled={isRunning || isFixed || !read.ok || text === inputOf(kind, value)}>
            Set
          </Button>
          <Button kind="quiet" disabled={isRunning || from !== "config.json"} onClick={() => void give(null)}>
            Reset
          </Button>
        </div>
        {!read.ok && <small class="system-problem">{read.why}</small>}
        {isFixed && <small class="muted">Given by the {from}: change it there.</small>}
      </form>
    </li>
  );
}

function From({ from }: { readonly from: Explained["from"] }) {
  if (from === "default") return <Badge>default</Badge>;
  return <Badge kind="accent">{from}</Badge>;
}

function said(key: string, value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return typeof value === "number" && /Bytes/.test(key) ? `${text} (${bytesText(value)})` : text;
}

function optionsOf(kind: Kind): readonly string[] | null {
  if (kind.is === "choice") return kind.options;
  return kind.is === "switch" ? ["true", "false"] : null;
}

interface InputProps {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
  readonly isFixed: boolean;
  readonly onText: (text: string) => void;
}

function SettingInput({ name, kind, text, isFixed, onText }: InputProps) {
  const options = optionsOf(kind);
  if (options !== null) {
    const named = options.map((option) => [option, option] as const);
    return (
      <Select label={name} value={text} options={text === "" ? [["", "not set"], ...named] : named} onChange={onText} />
    );
  }
  const common = {
    "aria-label": name,
    value: text,
    disabled: isFixed,
    spellcheck: false,
    placeholder: "not set",
  };
  if (kind.is === "list" || kind.is === "json")
    return (
      <textarea
        {...common}
        rows={Math.min(10, text.split("\n").length + (kind.is === "list" ? 1 : 0))}
        class="mono"
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    );
  return (
    <input
      {...common}
      inputMode={kind.is === "number" ? "numeric" : "text"}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  );
}
