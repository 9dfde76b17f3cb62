import { useEffect, useId, useState } from "preact/hooks";
import { Button, Field } from "../parts/index.ts";
import type { ChosenRepository } from "./use-repository.ts";
import "./repository.css";

/** Which repository a page is about: one that sessions or workspaces are in, or any other. */
export function ChooseRepository({ cwd, known, choose }: ChosenRepository) {
  const list = useId();
  const [folder, setFolder] = useState(cwd ?? "");
  useEffect(() => setFolder(cwd ?? ""), [cwd]);
  const wanted = folder.trim();
  return (
    <form
      class="repository-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== "") choose(wanted);
      }}
    >
      <Field label="Folder of the repository">
        {(id) => (
          <>
            <input
              id={id}
              list={list}
              spellcheck={false}
              value={folder}
              onInput={({ currentTarget }) => setFolder(currentTarget.value)}
            />
            <datalist id={list}>
              {known.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Button type="submit" disabled={wanted === "" || wanted === cwd}>
        Show
      </Button>
    </form>
  );
}
