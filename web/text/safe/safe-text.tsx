import { Fragment, type VNode } from "preact";
import { cutAt } from "../cut-text.ts";
import { Marker } from "../marker/marker.tsx";
import { hasMarkers, markerRuns } from "../marker/marker-runs.ts";
import { Pieces } from "../pieces.tsx";
import { isPlain, type Run, safeRuns } from "./safe-runs.ts";
import "./safe-text.css";

export interface SafeTextProps {
  readonly text: string;
  /** For commands, paths and questions: also marks look-alikes. */
  readonly strict?: boolean;
  /** Line feeds are shown as signs, so that the text stays one line. */
  readonly oneLine?: boolean;
}

/** Hostile text: what cannot be seen or misleads is shown as a named box. Neighbours are isolated from its direction. */
export function SafeText({ text, strict = false, oneLine = false }: SafeTextProps): VNode {
  const shown = oneLine ? inOneLine(text) : text;
  const name = oneLine ? "safe-text safe-line" : "safe-text";
  // A list shows thousands of short texts: most of them are one element and nothing else.
  const isShort = shown.length <= SHORT_CHARS_MAX && !hasMarkers(shown) && isPlain(shown, { strict });
  return (
    <bdi dir="auto" class={name}>
      {isShort ? (
        shown
      ) : (
        <Pieces text={shown}>{(piece) => <SafeRuns text={piece} strict={strict} linked={!oneLine} />}</Pieces>
      )}
    </bdi>
  );
}

/** The runs alone, for a place that isolates them itself: a line of code, a cell of a diff. */
export function SafeRuns({ text, strict = false, linked = true }: RunsProps): VNode {
  if (!hasMarkers(text)) return <TextRuns text={text} strict={strict} />;
  const runs = markerRuns(text);
  const shown = runs.slice(0, MARKER_RUNS_MAX);
  const rest = runs.slice(MARKER_RUNS_MAX).map((run) => run.text);
  return (
    <Fragment>
      {shown.map((run, at) =>
        run.marker === null ? (
          <TextRuns key={at} text={run.text} strict={strict} />
        ) : (
          <Marker key={at} marker={run.marker} linked={linked} />
        ),
      )}
      {rest.length > 0 && <TextRuns text={rest.join("")} strict={strict} />}
    </Fragment>
  );
}

interface RunsProps {
  readonly text: string;
  readonly strict?: boolean;
  /** False in one line: titles and names are often links or buttons themselves. */
  readonly linked?: boolean;
}

function TextRuns({ text, strict = false }: Omit<RunsProps, "linked">): VNode {
  if (isPlain(text, { strict })) return <Fragment>{text}</Fragment>;
  const runs = safeRuns(text, { strict });
  const [boxed, rest] = splitAtBox(runs, BOXES_MAX);
  return (
    <Fragment>
      {boxed.map((run, at) => (run.mark === null ? run.text : <Box key={at} run={run} />))}
      {rest.length === 0 ? null : rest.map(replaced).join("")}
    </Fragment>
  );
}

/** A text of boxes alone would fill the page with elements. What follows gets a sign for each. */
const BOXES_MAX = 200;
/** The same for markers: later ones are shown as the text they are. */
const MARKER_RUNS_MAX = 400;
const LINE_MAX = 4096;
const SHORT_CHARS_MAX = 4096;

function Box({ run: { text, mark } }: { readonly run: Run }): VNode {
  const name = mark?.name ?? "";
  if (mark?.kind !== "look-alike")
    return (
      <span class="safe-box" data-mark={mark?.kind}>
        <span class="safe-spoken">hidden character: </span>
        {name}
      </span>
    );
  return (
    <span class="safe-box safe-look" data-mark="look-alike">
      <bdi class="safe-word">{text}</bdi>
      <span class="safe-name">
        <span class="safe-spoken">, look-alike: </span>
        {name}
      </span>
    </span>
  );
}

function splitAtBox(runs: readonly Run[], max: number): readonly [readonly Run[], readonly Run[]] {
  let boxes = 0;
  const end = runs.findIndex(({ mark }) => {
    boxes += mark === null ? 0 : 1;
    return boxes > max;
  });
  return end === -1 ? [runs, []] : [runs.slice(0, end), runs.slice(end)];
}

function replaced({ text, mark }: Run): string {
  return mark === null || mark.kind === "look-alike" ? text : "\u25af";
}

function inOneLine(text: string): string {
  return text.slice(0, cutAt(text, LINE_MAX)).replace(/\s*\n\s*/g, " \u23ce ") + (text.length > LINE_MAX ? "…" : "");
}
