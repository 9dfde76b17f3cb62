import { join } from "node:path";
import { LAW_DIR, SIDECAR_BRANCH } from "../../repository/law-path.ts";
import type { SetupScene } from "../open-setup.ts";
import { includeLaw } from "./exclude.ts";

/** Nothing of the law's branch is left in this clone. */
export async function unmountSidecar({ checkout }: SetupScene): Promise<void> {
  const { git, root, repository } = checkout;
  await git.must(["worktree", "remove", "--force", "--force", join(root, LAW_DIR)], { timeoutMs: UNMOUNT_TIMEOUT_MS });
  await git.must(["update-ref", "-d", `refs/heads/${SIDECAR_BRANCH}`]);
  await includeLaw(repository.commonDir);
}

const UNMOUNT_TIMEOUT_MS = 120_000;
