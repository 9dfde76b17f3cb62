import type { Agent, InputOf } from "../../src/client/index.ts";

export interface Draft {
  readonly prompt: string;
  readonly agent: string;
  readonly workspace: string;
  readonly cwd: string;
  readonly title: string;
  readonly sandbox: string;
  readonly model: string;
  readonly isWorktree: boolean;
}

const SANDBOXES = ["off", "warn", "enforce", "strict"] as const;

/** What was left empty is left to the daemon. */
export function startInput(draft: Draft, { slug, driver }: Pick<Agent, "slug" | "driver">): InputOf<"session.start"> {
  const sandbox = SANDBOXES.find((mode) => mode === draft.sandbox);
  const place =
    draft.cwd !== "" ? { cwd: draft.cwd } : draft.workspace === "" ? {} : { workspaceSlug: draft.workspace };
  return {
    adapter: driver,
    agent: slug,
    prompt: draft.prompt,
    ...place,
    ...(draft.title === "" ? {} : { title: draft.title }),
    ...(draft.model === "" ? {} : { model: draft.model }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(draft.isWorktree ? { worktree: true } : {}),
  };
}
