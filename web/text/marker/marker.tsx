import { Fragment, type VNode } from "preact";
import { type MarkerRun, VAULT_KIND } from "./marker-runs.ts";
import { followMarker, ownFingerprints } from "./own-fingerprints.ts";
import "./marker.css";

interface MarkerProps {
  readonly marker: NonNullable<MarkerRun["marker"]>;
  readonly linked: boolean;
}

/** What stands in the place of a secret. A copy of it is the marker as the log has it. */
export function Marker({ marker: { kind, fingerprint }, linked }: MarkerProps): VNode {
  if (linked && kind === VAULT_KIND && ownFingerprints().has(fingerprint)) {
    const path = `/ui/secrets?fingerprint=${fingerprint}`;
    const follow = (event: MouseEvent): void => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      followMarker(path);
    };
    return (
      <a class="marker" href={path} onClick={follow} title="A secret of your vault was replaced here. Show it.">
        <Inside kind={kind} fingerprint={fingerprint} />
      </a>
    );
  }
  return (
    <span
      class="marker"
      title={kind === VAULT_KIND ? "A secret of the vault was replaced here." : `A key was replaced here: ${kind}.`}
    >
      <Inside kind={kind} fingerprint={fingerprint} />
    </span>
  );
}

function Inside({ kind, fingerprint }: { readonly kind: string; readonly fingerprint: string }): VNode {
  return (
    <Fragment>
      <span class="marker-unseen">[redacted:</span>
      {kind}
      <span class="marker-unseen">:</span>
      <span class="marker-fingerprint">{fingerprint}</span>
      <span class="marker-unseen">]</span>
    </Fragment>
  );
}
