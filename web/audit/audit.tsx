import { useEffect, useState } from "preact/hooks";
import { navigate, type PageProps, usePaletteEntries } from "../frame/index.ts";
import { Button, Tabs } from "../parts/index.ts";
import { addressOf, chosenIn } from "./chosen.ts";
import { Entries } from "./entries.tsx";
import { Evidence } from "./evidence.tsx";
import { Filters } from "./filters.tsx";
import { SearchHits } from "./search-hits.tsx";
import { useWitness } from "./use-witness.ts";
import { WitnessLine } from "./witness-line.tsx";
import "./page.css";

const TABS = [
  { id: "events", name: "Events" },
  { id: "evidence", name: "Evidence" },
];

/** The whole log: what happened, by whom, and why it can be believed. */
export function View({ query }: PageProps) {
  const chosen = chosenIn(query);
  const words = query.get("q") ?? "";
  const tab = TABS.find(({ id }) => id === query.get("tab"))?.id ?? "events";
  const witness = useWitness();
  usePaletteEntries([
    { name: "Verify the log", hint: "Audit", run: () => navigate(addressOf({}, { tab: "evidence" })) },
    { name: "Export the log", hint: "Audit", run: () => navigate(addressOf({}, { tab: "evidence" })) },
  ]);
  return (
    <div class="page audit">
      <div class="page-head">
        <h1>Audit</h1>
        <Search words={words} />
      </div>
      <WitnessLine {...witness} />
      <Tabs
        label="Parts of the audit"
        tabs={TABS}
        chosen={tab}
        onChoose={(id) => navigate(addressOf(chosen, id === "events" ? {} : { tab: id }), { replace: true })}
      >
        {tab === "evidence" ? (
          <Evidence witnessed={witness.witnessed} />
        ) : words !== "" ? (
          <SearchHits words={words} />
        ) : (
          <>
            <Filters chosen={chosen} />
            <Entries chosen={chosen} />
          </>
        )}
      </Tabs>
    </div>
  );
}

function Search({ words }: { readonly words: string }) {
  const [text, setText] = useState(words);
  useEffect(() => setText(words), [words]);
  return (
    <search class="audit-searching">
      <form
        class="audit-search"
        onSubmit={(event) => {
          event.preventDefault();
          navigate(addressOf({}, { q: text.trim() }));
        }}
      >
        <input
          data-search
          type="search"
          aria-label="Search what sessions said"
          placeholder="Search what sessions said"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit" icon="search">
          Search
        </Button>
        {words !== "" && (
          <Button kind="quiet" icon="close" onClick={() => navigate(addressOf({}))}>
            Back to the log
          </Button>
        )}
      </form>
    </search>
  );
}
