import type { ComponentChildren } from "preact";
import { ClientError } from "../../src/client/index.ts";
import { ErrorCard } from "../frame/index.ts";
import { Empty } from "../parts/index.ts";

const NO_LAW: readonly string[] = ["not_governed", "governance_missing"];

interface LawErrorProps {
  readonly error: unknown;
  readonly again: () => void;
  /** What sets it up. */
  readonly children?: ComponentChildren;
}

/** A repository without a law is no fault: it is told how it gets one. */
export function LawError({ error, again, children }: LawErrorProps) {
  if (!(error instanceof ClientError) || !NO_LAW.includes(error.code)) return <ErrorCard error={error} again={again} />;
  return (
    <Empty title="This repository has no law" command="nomos init">
      <p>
        A law says what nobody may touch, which checks are needed, and how large a change may be. Setting it up scans
        the repository first, and adds nothing but <code>.nomos/</code>.
      </p>
      {children}
    </Empty>
  );
}

/** Before a repository is known. */
export function NoRepository() {
  return (
    <Empty title="Choose a repository" command="nomos init">
      Name its folder above. Folders of workspaces and sessions are offered.
    </Empty>
  );
}
