import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of governed repositories: their law, tickets, leases and the work on them. */
export const GOVERNANCE_ERRORS = {
  config_invalid: entry(
    409,
    5,
    "`.nomos/config.yaml` is not valid.",
    "Correct what the details name; `nomos governance verify` shows all of it.",
  ),
  governance_drift: entry(
    409,
    5,
    "The repository's law was edited after it was compiled.",
    "Run `nomos governance build`, then `nomos governance compose`, and commit both files; or restore the files from git.",
  ),
  governance_invalid: entry(
    409,
    5,
    "The repository's law is damaged or was tampered with.",
    "Run `nomos governance verify` to see each problem and its remedy.",
  ),
  governance_missing: entry(
    404,
    4,
    "The repository has no compiled law.",
    "Run `nomos init`, or `nomos governance build` where `.nomos/CONSTITUTION.md` exists.",
  ),
  governance_newer: entry(
    409,
    5,
    "The repository's law was written by a newer version of Nomos.",
    "Update Nomos: run `npm install -g nomos@latest`.",
  ),
  invalid_parent: entry(
    422,
    2,
    "A ticket of this kind cannot stand under that one.",
    "An intent holds epics and tasks, an epic holds tasks: name another parent with `--parent <id>`.",
  ),
  lease_damaged: entry(
    409,
    5,
    "The record of the ticket's lease cannot be read.",
    "Look at the ref that the details name with `git log <ref>`; restore it, or remove it with `git update-ref -d <ref>`.",
  ),
  lease_duration_invalid: entry(
    400,
    2,
    "The lease's duration is out of bounds.",
    "Name a duration of one minute to one week, such as `--minutes 120`.",
  ),
  lease_lost: entry(
    409,
    5,
    "The lease of the ticket has ended, or somebody else holds it.",
    "Run `nomos ticket show <ticket>` to see who holds it, then lease it again.",
  ),
  lease_remote_failed: entry(
    503,
    6,
    "The remote that shares the leases did not answer, or refused.",
    "Read the reason; try `git ls-remote <remote>` in the repository, then repeat the call.",
  ),
  lease_rewound: entry(
    409,
    5,
    "The remote's lease has a lower fence than this clone has seen: somebody moved its ref back.",
    "Repeat the call; if it stays, push the ref that the details name again from the clone with the highest fence.",
  ),
  not_governed: entry(404, 4, "This repository has no law.", "Run `nomos init` in it; nothing else needs it."),
  policy_missing: entry(
    404,
    4,
    "The repository's law has no sealed policy.",
    "Run `nomos governance compose`, and commit the file.",
  ),
  policy_stale: entry(
    409,
    5,
    "The sealed policy was composed from other files.",
    "Run `nomos governance compose`, and commit the file.",
  ),
  policy_tampered: entry(
    409,
    5,
    "The sealed policy was edited, or its signature is wrong.",
    "Find out who changed it (`git log -p .nomos/policy.sealed.json`), then run `nomos governance compose`.",
  ),
  ref_conflict: entry(
    409,
    5,
    "Somebody else changed this at the same time.",
    "Repeat the call: it reads the newer state.",
  ),
  rule_invalid: entry(
    409,
    5,
    "A rule of the constitution is not valid.",
    "Correct the block that the details name in `.nomos/CONSTITUTION.md`, then run `nomos governance build`.",
  ),
  signer_unknown: entry(
    409,
    5,
    "The law is signed by nobody whose signature counts here.",
    "Let one of the `signers` of `.nomos/config.yaml` compose it, or add the key there.",
  ),
  ticket_closed: entry(
    409,
    5,
    "The ticket is done or archived.",
    "Run `nomos ticket list` to see open tickets, or `nomos ticket create` for a new one.",
  ),
  ticket_exists: entry(409, 5, "A ticket with this id exists already.", "Run `nomos ticket show <ticket>` to see it."),
  ticket_invalid: entry(
    409,
    5,
    "The ticket's file is not valid.",
    "Correct what the details name: `nomos ticket edit <ticket>`, or the file in `.nomos/tickets/`.",
  ),
  ticket_leased: entry(
    409,
    5,
    "Somebody else holds the lease of this ticket; the details name them, their fence and until when.",
    "Wait for its end, ask its holder to run `nomos ticket release <ticket>`, or take another one: `nomos ticket next`.",
  ),
  ticket_not_found: entry(
    404,
    4,
    "The repository has no such ticket.",
    "Run `nomos ticket list` to see its tickets; the default branch's files count.",
  ),
  unproven: entry(
    409,
    5,
    "The ticket has no proof that it is done.",
    "See `missing` in the details: land the work with its checks, or name a witness for each criterion.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
