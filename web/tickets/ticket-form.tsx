import type { ComponentChildren } from "preact";
import { Field, Select } from "../parts/index.ts";
import type { TicketDraft } from "./ticket-draft.ts";

interface FormProps {
  readonly draft: TicketDraft;
  readonly change: (part: Partial<TicketDraft>) => void;
  /** What may stand above it: intents and epics. */
  readonly parents: readonly { readonly id: string; readonly title: string }[];
  /** A ticket that exists keeps its kind. */
  readonly isNew: boolean;
}

const PRIORITIES = ["1", "2", "3", "4", "5"].map((one) => [one, one === "1" ? "1: the most urgent" : one] as const);
const KINDS = [
  ["task", "task: is worked on"],
  ["epic", "epic: holds tasks"],
  ["intent", "intent: what is wanted, and why"],
] as const;

/** All that people write of a ticket. */
export function TicketForm(props: FormProps) {
  const { draft } = props;
  const { kind } = draft;
  const { text, lines } = fieldsOf(props);
  return (
    <>
      {text("Title", "title")}
      {kind === "intent" && lines("What is wanted, in your own words", "brainDump")}
      {lines("Description", "body")}
      <Placing {...props} />
      {kind !== "epic" && (
        <Grid>
          {lines("May change", "allow", "one pattern a line; empty: everything that the law allows")}
          {lines("May not change", "deny", "one pattern a line")}
          {text("Files at most", "files", "empty: what the law says")}
          {text("Lines at most", "lines", "empty: what the law says")}
        </Grid>
      )}
      {kind === "task" && (
        <>
          {lines("Checks", "checks", "one command a line; no shell reads it")}
          {lines("Done when", "acceptance", "one criterion a line; `text => command` where a check is its witness")}
          {lines("Blocked by", "blockers", "one ticket a line", 2)}
        </>
      )}
      {kind === "intent" && (
        <Grid>
          {lines("Boundary", "boundary", "what must not be touched, such as `do not touch infra/**`", 2)}
          {lines("Success", "successCondition", "how one sees that it is reached", 2)}
        </Grid>
      )}
    </>
  );
}

function Placing(props: FormProps) {
  const { draft, change, parents, isNew } = props;
  const { text } = fieldsOf(props);
  return (
    <Grid>
      {isNew && (
        <Field label="Kind">
          {(id) => <Select id={id} value={draft.kind} options={KINDS} onChange={(kind) => change({ kind })} />}
        </Field>
      )}
      <Field label="Priority">
        {(id) => (
          <Select id={id} value={draft.priority} options={PRIORITIES} onChange={(priority) => change({ priority })} />
        )}
      </Field>
      <Field label="Under">
        {(id) => (
          <Select
            id={id}
            value={draft.parent}
            options={[["", "nothing"], ...parents.map((one) => [one.id, `${one.id}: ${one.title}`] as const)]}
            onChange={(parent) => change({ parent })}
          />
        )}
      </Field>
      {text("Type", "type", "feature, bug, chore, docs: lanes take tickets by it")}
    </Grid>
  );
}

/** A field of one line, and one of several. */
function fieldsOf({ draft, change }: Pick<FormProps, "draft" | "change">) {
  const hinted = (hint: string | undefined) => (hint === undefined ? {} : { hint });
  const text = (label: string, member: keyof TicketDraft, hint?: string) => (
    <Field label={label} {...hinted(hint)}>
      {(id) => (
        <input
          id={id}
          value={draft[member]}
          spellcheck={member === "title"}
          onInput={({ currentTarget }) => change({ [member]: currentTarget.value })}
        />
      )}
    </Field>
  );
  const lines = (label: string, member: keyof TicketDraft, hint?: string, rows = 3) => (
    <Field label={label} {...hinted(hint)}>
      {(id) => (
        <textarea
          id={id}
          rows={rows}
          value={draft[member]}
          onInput={({ currentTarget }) => change({ [member]: currentTarget.value })}
        />
      )}
    </Field>
  );
  return { text, lines };
}

function Grid({ children }: { readonly children: ComponentChildren }) {
  return <div class="tickets-grid">{children}</div>;
}
