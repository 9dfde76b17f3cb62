import { useEffect } from "preact/hooks";
import { useCall } from "../frame/index.ts";
import { serverNow } from "../live/index.ts";
import { Icon } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

const AGAIN_MS = 5_000;

/** Providers that failed so often that calls wait. Nothing while all answer. */
export function Breakers() {
  const { value, again } = useCall("system.status", {});
  useEffect(() => {
    const timer = setInterval(again, AGAIN_MS);
    return () => clearInterval(timer);
  }, [again]);
  const open = (value?.models.breakers ?? []).filter(({ state }) => state !== "closed");
  if (open.length === 0) return null;
  return (
    <ul class="models-breakers" aria-label="Providers that fail">
      {open.map(({ provider, state, failures, retryAt }) => (
        <li key={provider}>
          <Icon name="warning" />
          <span>
            <strong>
              <SafeText text={provider} oneLine />
            </strong>{" "}
            failed {failures} times in a row. <Retry state={state} at={retryAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Retry({ state, at }: { readonly state: string; readonly at: string | null }) {
  if (state === "half_open") return <>It is being tried again.</>;
  if (at === null || Date.parse(at) <= serverNow()) return <>The next call tries it again.</>;
  return (
    <>
      Calls wait. It is tried again at <time dateTime={at}>{new Date(at).toLocaleTimeString()}</time>.
    </>
  );
}
