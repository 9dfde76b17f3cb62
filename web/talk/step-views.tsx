import { Badge, countText, reachable } from "../parts/index.ts";
import { Markdown, SafeText } from "../text/index.ts";
import { Actor } from "./actor.tsx";
import type { CompactionEntry, SteerEntry, Step } from "./entry.ts";
import { Folded } from "./folded.tsx";
import { StoredTextView } from "./stored-text.tsx";
import { clockText, dollarsText, spanText } from "./time-text.ts";

const STANDINGS = {
  accepted: ["warn", "accepted: goes with the next step"],
  delivered: ["good", "delivered"],
  late: ["warn", "the turn ended before: goes with the next prompt"],
} as const;

export function SteerView({ steer: { body, standing, at, actor } }: { readonly steer: SteerEntry }) {
  const [kind, word] = STANDINGS[standing];
  return (
    <div class="talk-prompt talk-steer">
      <p class="talk-by">
        <strong>Said while it worked</strong>
        <span class="muted">
          <Actor name={actor} /> · <time dateTime={at}>{clockText(at)}</time>
        </span>
        <Badge kind={kind}>{word}</Badge>
      </p>
      <div class="talk-text">
        <StoredTextView body={body}>{(text) => <SafeText text={text} />}</StoredTextView>
      </div>
    </div>
  );
}

const REASONS: { readonly [reason: string]: string } = {
  threshold: "the window was nearly full",
  overflow: "the window was full",
  asked: "asked for",
};

export function CompactionView({ compaction }: { readonly compaction: CompactionEntry }) {
  const { before, after, reason, focus, summary } = compaction;
  const line = (
    <>
      Compacted: {countText(before)} → {countText(after)} tokens
      <span class="muted">
        {" "}
        · {REASONS[reason] ?? reason}
        {focus !== null && (
          <>
            , with a focus on <SafeText text={focus} oneLine />
          </>
        )}
      </span>
    </>
  );
  return (
    <Folded class="talk-compaction" summary={line}>
      {() => (
        <div class="talk-message">
          <p class="muted">The model reads this summary instead of what was said before. The log keeps all of it.</p>
          <StoredTextView body={summary}>{(text) => <Markdown text={text} />}</StoredTextView>
        </div>
      )}
    </Folded>
  );
}

export function StepsView({ steps }: { readonly steps: readonly Step[] }) {
  const models = [...new Set(steps.map(({ model }) => model))].join(", ");
  const summary = (
    <>
      {steps.length === 1 ? "1 step" : `${steps.length} steps`} · <SafeText text={models} oneLine />
    </>
  );
  return (
    <Folded class="talk-steps" summary={summary}>
      {() => (
        <section class="talk-steps-table" aria-label="Steps of the turn" ref={(element) => reachable(element)}>
          <table>
            <thead>
              <tr>
                <th>Step</th>
                <th>Model</th>
                <th>In</th>
                <th>Out</th>
                <th>Cached</th>
                <th>Cost</th>
                <th>First token</th>
                <th>Took</th>
              </tr>
            </thead>
            <tbody>
              {steps.map((step, at) => (
                <StepRow key={step.stepId} step={step} number={at + 1} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Folded>
  );
}

function StepRow({ step, number }: { readonly step: Step; readonly number: number }) {
  const { model, isCompaction, attempt, input, output, cached, costMicroUsd, ms, firstTokenMs, error } = step;
  return (
    <tr>
      <td>
        {number}
        {isCompaction && " summary"}
        {attempt > 1 && ` try ${attempt}`}
      </td>
      <td>
        <SafeText text={model} oneLine />
        {error !== null && (
          <div class="talk-bad">
            <SafeText text={error} />
          </div>
        )}
      </td>
      <td>{countText(input)}</td>
      <td>{countText(output)}</td>
      <td>{countText(cached)}</td>
      <td>{costMicroUsd === null ? "–" : dollarsText(costMicroUsd)}</td>
      <td>{firstTokenMs === null ? "–" : shortSpan(firstTokenMs)}</td>
      <td>{ms === null ? "runs" : shortSpan(ms)}</td>
    </tr>
  );
}

function shortSpan(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : spanText(ms);
}
