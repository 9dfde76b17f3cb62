import type { ComponentChildren } from "preact";
import { Link } from "../frame/index.ts";
import { Ago, Badge, Copy, Fact, Icon } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { Findings } from "./findings.tsx";
import { doingOf, type Landing } from "./lines.ts";
import "./landing.css";

export const STATE_KINDS = {
  queued: "plain",
  checking: "accent",
  landed: "good",
  refused: "bad",
  ejected: "warn",
} as const;

interface CardProps {
  readonly landing: Landing;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** Buttons, for those that still wait. */
  readonly children?: ComponentChildren;
}

/** One landing; opened it tells all. */
export function LandingCard({ landing, isCurrent, isOpen, onToggle, children }: CardProps) {
  const { id, sessionId, sessionName, into, state, held, changedAt } = landing;
  return (
    <li id={`landing-${id}`} class={isCurrent ? "landing-card landing-current" : "landing-card"}>
      <div class="landing-head">
        <button type="button" class="landing-fold" aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? "down" : "right"} />
          <strong>{sessionName}</strong>
        </button>
        <Badge kind={held === undefined ? STATE_KINDS[state] : "warn"}>{held === undefined ? state : "held"}</Badge>
        <span class="landing-doing">
          <SafeText text={doingOf(landing)} oneLine strict />
        </span>
        <span class="muted landing-where">
          on <SafeText text={into} oneLine strict />, <Ago at={changedAt} /> ago ·{" "}
          <Link to={`/ui/session/${encodeURIComponent(sessionId)}`}>its session</Link>
        </span>
      </div>
      {children}
      {isOpen && <Opened landing={landing} />}
    </li>
  );
}

function Opened({ landing }: { readonly landing: Landing }) {
  const { findings, more, pushed, sessionId, commit, repository, how, message, checks, checkMs } = landing;
  return (
    <div class="landing-opened">
      {findings.length > 0 && <Findings findings={findings} more={more} />}
      {pushed !== undefined && <PushedBranch pushed={pushed} />}
      <dl>
        <Fact name="Repository">
          <code>
            <SafeText text={repository} strict />
          </code>
        </Fact>
        <Fact name="How">
          {how}, attempt {landing.attempt} of {landing.attemptsMax}
        </Fact>
        {commit !== undefined && (
          <Fact name="Commit">
            <Copy text={commit} />
          </Fact>
        )}
        {message !== undefined && (
          <Fact name="Message">
            <SafeText text={message} />
          </Fact>
        )}
        {checks.length > 0 && (
          <Fact name="Checks of its own">
            <SafeText text={checks.map((argv) => argv.join(" ")).join("; ")} strict />
          </Fact>
        )}
        {checkMs !== undefined && checkMs > 0 && <Fact name="Checked for">{(checkMs / 1000).toFixed(1)} s</Fact>}
        <Fact name="Queued">
          <Ago at={landing.queuedAt} /> ago
        </Fact>
        <Fact name="Changes">
          <Link to={`/ui/session/${encodeURIComponent(sessionId)}?tab=files`}>The diff, turn by turn</Link>
        </Fact>
        <Fact name="Id">
          <Copy text={landing.id} />
        </Fact>
      </dl>
    </div>
  );
}

function PushedBranch({ pushed: { remote, branch, url, next } }: { readonly pushed: NonNullable<Landing["pushed"]> }) {
  return (
    <div>
      <p>
        Pushed <SafeText text={branch} strict oneLine /> to <SafeText text={remote} strict oneLine />. Open the request:
      </p>
      {url !== null && <Copy text={url} />}
      {next.map((command) => (
        <Copy key={command} text={command} />
      ))}
    </div>
  );
}
