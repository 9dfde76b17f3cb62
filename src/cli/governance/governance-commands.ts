import type { Everyday } from "../everyday-command.ts";

/** What people do to the laws of their repositories. */
export const GOVERNANCE_COMMANDS = {
  init: {
    subject: "governance",
    usage: "nomos init [--dry-run] [--no-commit] [--sidecar] [-m TEXT] [-C DIR]",
    summary: "Give the repository here a law: scope, checks and leases for agents; safe to repeat",
    options: [
      ["--dry-run", "say what would be written, and write nothing"],
      ["--no-commit", "stage the files, and leave the commit to you"],
      ["--sidecar", "put the law on a branch of its own, `nomos-governance`, mounted at .nomos"],
      ["-m, --message TEXT", "the message of the commit"],
      ["-C, --cwd DIR", "a folder of the repository; default: the current one"],
    ],
  },
  deinit: {
    subject: "governance",
    usage: "nomos deinit [--dry-run] [--force] [-m TEXT] [-C DIR]",
    summary: "Take the law of the repository here away, without a trace but the commit that tells of it",
    options: [
      ["--dry-run", "say what would go, and remove nothing"],
      ["-f, --force", "also when tickets or uncommitted changes go with it"],
      ["-m, --message TEXT", "the message of the commit"],
      ["-C, --cwd DIR", "a folder of the repository; default: the current one"],
    ],
  },
  governance: {
    subject: "governance",
    usage: "nomos governance verify | check VERB PATH [--ticket ID] [--evidence E] | build | compose | import exo",
    summary: "Verify, ask, compile and seal the law of the repository here; needs no daemon and starts none",
    options: [
      ["verify", "exits with 1 if a file of the law was edited, cut off, swapped or taken away"],
      ["check VERB PATH", "`read`, `write`, `delete` or `rename`; exits with 0 for a yes, with 1 otherwise"],
      ["--ticket ID", "of check: judge by this ticket's scope and lease"],
      ["--evidence E", "of check: what was shown already, such as `attestation:delete`; repeatable"],
      ["build", "compile CONSTITUTION.md into governance.lock.json"],
      ["compose", "seal policy.sealed.json, signed with the key of this home if it has one"],
      ["import exo", "write .nomos/ from a folder .exo/, and say what was left out; with --dry-run: write nothing"],
    ],
  },
} as const satisfies { readonly [name: string]: Everyday };
