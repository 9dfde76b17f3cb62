import { useState } from "preact/hooks";
import { Button } from "../parts/index.ts";

export function OwnWords({ onGive }: { readonly onGive: (words: string) => void }) {
  const [words, setWords] = useState("");
  return (
    <form
      class="question-answers"
      onSubmit={(event) => {
        event.preventDefault();
        if (words.trim() !== "") onGive(words.trim());
      }}
    >
      <input
        aria-label="Answer in your own words"
        placeholder="Or answer in your own words"
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <Button type="submit" disabled={words.trim() === ""}>
        Answer
      </Button>
    </form>
  );
}
