import { Link, useCall } from "../frame/index.ts";
import { Badge } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { Findings } from "./findings.tsx";
import { STATE_KINDS } from "./landing-card.tsx";
import { doingOf } from "./lines.ts";
import "./landing.css";

/** The newest landing of a session, on the session's page; nothing when it had none. */
export function LandingNotice({ id }: { readonly id: string }) {
  const { value } = useCall("landing.list", { session: id, limit: 1 }, { on: /^landing\./ });
  const landing = value?.landings[0];
  if (landing === undefined) return null;
  const { state, into, held, waitsFor, findings, more } = landing;
  return (
    <div class="landing-notice">
      <p>
        <Badge kind={held === undefined ? STATE_KINDS[state] : "warn"}>{held === undefined ? state : "held"}</Badge>{" "}
        <Link to={`/ui/landings?id=${encodeURIComponent(landing.id)}`}>
          Landing on <SafeText text={into} oneLine strict />
        </Link>{" "}
        <span class="muted">
          <SafeText text={doingOf(landing)} oneLine strict />
        </span>
      </p>
      {waitsFor === "person" && (
        <details>
          <summary>Why, and what to do</summary>
          <Findings findings={findings} more={more} />
        </details>
      )}
    </div>
  );
}
