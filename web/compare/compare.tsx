import { useEffect, useState } from "preact/hooks";
import type { LogEvent, Session } from "../../src/client/index.ts";
import { ErrorCard, Link, navigate, nomos, type PageProps, useCall } from "../frame/index.ts";
import { Button, costText, Empty, StateBadge, Tabs, tokensText } from "../parts/index.ts";
import { clockText, TalkView } from "../talk/index.ts";
import { SafeText } from "../text/index.ts";
import { ComparedFiles } from "./compared-files.tsx";
import { forkPoint } from "./fork-point.ts";
import { type Side, useSide } from "./use-side.ts";
import "./page.css";

const TABS = [
  { id: "talk", name: "Talk" },
  { id: "files", name: "Files" },
] as const;

/** Two sessions side by side, from their common point on. */
export function View({ params, query }: PageProps) {
  const one = useCall("session.show", { id: params["a"] ?? "" });
  const other = useCall("session.show", { id: params["b"] ?? "" });
  const error = one.error ?? other.error;
  if (error !== undefined)
    return (
      <div class="page">
        <ErrorCard error={error} />
      </div>
    );
  if (one.value === undefined || other.value === undefined) return <p class="muted loading">Loading …</p>;
  const tab = query.get("tab") === "files" ? "files" : "talk";
  return <WithPoint key={`${one.value.id} ${other.value.id}`} one={one.value} other={other.value} tab={tab} />;
}

interface PairProps {
  readonly one: Session;
  readonly other: Session;
  readonly tab: string;
}

function WithPoint({ one, other, tab }: PairProps) {
  const [point, setPoint] = useState<LogEvent | null | undefined>(undefined);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    forkPoint(one, other, (eventId) => nomos().call("event.show", { eventId })).then(setPoint, setError);
  }, [one.id, other.id]);
  if (error !== null) return <ErrorCard error={error} />;
  if (point === undefined) return <p class="muted loading">Looking for the common point …</p>;
  return <Pair one={one} other={other} tab={tab} point={point} />;
}

function Pair({ one, other, tab, point }: PairProps & { readonly point: LogEvent | null }) {
  const sides = [useSide(one, point?.seq ?? null), useSide(other, point?.seq ?? null)] as const;
  const choose = (to: string): void =>
    navigate(
      `/ui/compare/${encodeURIComponent(one.id)}/${encodeURIComponent(other.id)}${to === "talk" ? "" : "?tab=files"}`,
      {
        replace: true,
      },
    );
  return (
    <div class="page compare">
      <div class="page-head">
        <h1>Compare</h1>
        <p class="muted compare-point">
          {point === null
            ? "These sessions have nothing in common; both are shown from their beginning."
            : `From their common point on: event ${point.version}, ${clockText(point.at)}`}
        </p>
      </div>
      <Tabs label="What to compare" tabs={TABS} chosen={tab} onChoose={choose}>
        <div class="compare-sides">
          {sides.map((side) => (
            <SideHead key={side.session.id} side={side} />
          ))}
        </div>
        {tab === "files" ? (
          <ComparedFiles sides={sides} />
        ) : (
          <div class="compare-sides">
            {sides.map((side) => (
              <SideTalk key={side.session.id} side={side} />
            ))}
          </div>
        )}
      </Tabs>
    </div>
  );
}

function SideHead({ side: { session, turns } }: { readonly side: Side }) {
  const { id, title, name, spent } = session;
  return (
    <section class="compare-head">
      <h2>
        <Link to={`/ui/session/${encodeURIComponent(id)}`}>
          <SafeText text={title ?? name} oneLine />
        </Link>
      </h2>
      <p>
        <StateBadge session={session} />
        <span class="muted">
          <SafeText text={name} oneLine /> · {turns.length === 1 ? "1 turn" : `${turns.length} turns`} since
          {spent === undefined ? "" : ` · ${tokensText(spent)} tokens · ${costText(spent)}`}
        </span>
      </p>
    </section>
  );
}

function SideTalk({ side }: { readonly side: Side }) {
  const { session, entries, isLoading, hasMore, error, more } = side;
  return (
    <section class="compare-side" aria-label={`Talk of ${session.name}`}>
      {error !== null && <ErrorCard error={error} />}
      {entries.length === 0 && !isLoading && <Empty title="Nothing since then" />}
      <TalkView entries={entries} isBehind={() => false} label={`Transcript of ${session.name}`} />
      {hasMore && <Button onClick={more}>Show more</Button>}
    </section>
  );
}
