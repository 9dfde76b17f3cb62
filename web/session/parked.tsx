import type { Session } from "../../src/client/index.ts";
import { Icon } from "../parts/index.ts";
import { momentText } from "../talk/index.ts";

/** A session that a usage limit stopped: no process runs for it until then. */
export function Parked({ session: { waitingFor, waitingUntil } }: { readonly session: Session }) {
  if (waitingFor !== "quota") return null;
  return (
    <p class="session-parked" role="status">
      <Icon name="clock" />
      <span>
        Waits for the usage limit
        {waitingUntil !== undefined && (
          <>
            {" "}
            until <time dateTime={waitingUntil}>{momentText(waitingUntil)}</time>
          </>
        )}
        . Interrupt it to go on with another model.
      </span>
    </p>
  );
}
