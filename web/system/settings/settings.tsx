import { useState } from "preact/hooks";
import { ErrorCard, useCall } from "../../frame/index.ts";
import { Empty } from "../../parts/index.ts";
import { Setting } from "./setting.tsx";

export function Settings() {
  const { value, error, again } = useCall("config.explain", {}, { on: /^(?:config|policy|system)\./ });
  const shown = useCall("config.show", {}, { on: /^(?:config|policy|system)\./ });
  const [words, setWords] = useState(new URLSearchParams(location.search).get("key") ?? "");
  const [onlyChanged, setOnlyChanged] = useState(false);
  const reload = (): void => {
    again();
    shown.again();
  };
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  const wanted = words.toLowerCase().split(/\s+/);
  const found = (value?.settings ?? []).filter(({ key, meaning, from }) => {
    const text = `${key} ${meaning}`.toLowerCase();
    return wanted.every((word) => text.includes(word)) && (!onlyChanged || from !== "default");
  });
  return (
    <>
      <div class="page-head">
        <h1>Settings</h1>
        <input
          data-search
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
        <label class="system-check">
          <input
            type="checkbox"
            checked={onlyChanged}
            onChange={({ currentTarget }) => setOnlyChanged(currentTarget.checked)}
          />
          Only changed ones
        </label>
      </div>
      <p class="muted">
        Kept in <code>config.json</code> of the home. What an environment variable or an option gives counts more.
      </p>
      {value !== undefined && found.length === 0 && <Empty title="No setting matches" command="nomos config explain" />}
      <ul class="system-settings" aria-label="Settings">
        {found.map((setting) => (
          <Setting key={setting.key} setting={setting} config={shown.value?.config ?? {}} onChange={reload} />
        ))}
      </ul>
    </>
  );
}
