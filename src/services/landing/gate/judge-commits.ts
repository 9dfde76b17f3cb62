import { type CapturedWork, type LandingRepository, plainText } from "../../../host/index.ts";
import type { Gathered } from "./gather-findings.ts";

/** Commits of the session that become part of the branch as they are. */
export interface KeptCommits {
  readonly opened: Pick<LandingRepository, "git" | "settings">;
  readonly tip: string;
  readonly captured: Pick<CapturedWork, "userBase">;
  readonly kept: readonly string[];
}

const MAKE_ANEW = "Land with `--squash` or `--rebase`: then the commits are made anew, with your settings.";
const READ_TIMEOUT_MS = 120_000;
const SHORT = 12;
/** How far back the people of a branch are looked for. */
const PEOPLE_COMMITS_MAX = 2000;

/** A commit that is kept speaks for itself later: who made it, who signed it, and which session it came from. */
export async function judgeCommits(given: KeptCommits, found: Gathered): Promise<void> {
  const kept = await withoutPersons(given);
  if (kept.length === 0) return;
  const { opened, tip } = given;
  const { identity, signing } = opened.settings;
  const people = await peopleOf(opened, tip);
  for (const { id, committer, names, message } of await readHeads(opened, kept)) {
    const name = `Commit ${id.slice(0, SHORT)}`;
    if (/^\s*Nomos-[A-Za-z]+\s*:/im.test(message))
      found.add("policy", {
        message: `${name} has a \`Nomos-\` trailer that it gave itself; only a landing writes them.`,
        remedy: MAKE_ANEW,
      });
    for (const [text, where] of [[message, "message"] as const, [names, "author or committer"] as const])
      if (plainText(text) !== text)
        found.add("policy", { message: `${name} has control characters in its ${where}.`, remedy: MAKE_ANEW });
    if (committer !== identity.email && people.has(committer.toLowerCase()))
      found.add("policy", {
        message: `${name} says that it was committed by ${committer}, who is somebody else.`,
        remedy: MAKE_ANEW,
      });
  }
  if (signing === null) return;
  for (const { id, why } of await unsigned(opened, kept))
    found.add("policy", { message: `You sign commits, and commit ${id.slice(0, SHORT)} ${why}.`, remedy: MAKE_ANEW });
}

/** What the person had where the session began is theirs. */
async function withoutPersons({ opened, kept, captured: { userBase } }: KeptCommits): Promise<readonly string[]> {
  if (kept.length === 0 || userBase === null) return kept;
  const { git } = opened;
  if ((await git.run(["cat-file", "-e", `${userBase}^{commit}`])).exitCode !== 0) return kept;
  const input = [...kept, `^${userBase}`].map((one) => `${one}\n`).join("");
  const told = await git.text(["rev-list", "--stdin"], { input, timeoutMs: READ_TIMEOUT_MS });
  const theirs = new Set(told.split("\n"));
  return kept.filter((id) => theirs.has(id));
}

interface Head {
  readonly id: string;
  /** The address. */
  readonly committer: string;
  readonly names: string;
  readonly message: string;
}

async function readHeads({ git }: KeptCommits["opened"], ids: readonly string[]): Promise<readonly Head[]> {
  const told = await git.text(
    ["log", "--no-walk=unsorted", "--stdin", "-z", "--no-mailmap", "--format=%H%n%ce%n%an %ae %cn%n%B"],
    {
      input: ids.map((id) => `${id}\n`).join(""),
      timeoutMs: READ_TIMEOUT_MS,
    },
  );
  return told
    .split("\0")
    .filter(Boolean)
    .map((one) => {
      const [id = "", committer = "", names = "", ...message] = one.split("\n");
      return { id, committer, names, message: message.join("\n") };
    });
}

/** Addresses of those who worked on the branch, in lower case, without agents whose work landed before. */
async function peopleOf({ git, settings }: KeptCommits["opened"], tip: string): Promise<ReadonlySet<string>> {
  const people = ["--first-parent", "--invert-grep", "--grep=^Nomos-", "--no-mailmap", "--format=%ae%n%ce"];
  const args = ["log", `--max-count=${PEOPLE_COMMITS_MAX}`, ...people, tip];
  const told = await git.text(args, { timeoutMs: READ_TIMEOUT_MS });
  const all = new Set(told.toLowerCase().split("\n").filter(Boolean));
  // Forges commit for everybody.
  for (const own of [settings.identity.email.toLowerCase(), "noreply@github.com", "nomos@localhost"]) all.delete(own);
  return all;
}

/** Commits that are not signed with the person's own key. */
async function unsigned(
  { git, settings: { signing, identity } }: KeptCommits["opened"],
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly why: string }[]> {
  if (signing === null) return [];
  const key = signing.settings.find((one) => one.startsWith("user.signingKey="))?.slice("user.signingKey=".length);
  const args = ["log", "--no-walk=unsorted", "--stdin", "--format=%H%x00%G?%x00%GF%x00%GP%x00%GK%x00%GS"];
  const input = ids.map((id) => `${id}\n`).join("");
  const told = await git.text(args, { input, signing, timeoutMs: READ_TIMEOUT_MS });
  return told
    .split("\n")
    .filter(Boolean)
    .flatMap((line) => {
      const [id = "", grade = "", ...named] = line.split("\0");
      if (grade === "N") return [{ id, why: "is not signed, or its signature cannot be checked" }];
      if (!"GUX".includes(grade)) return [{ id, why: "has a signature that is not valid" }];
      return isOwnKey(named, key, identity.email) ? [] : [{ id, why: "is signed by somebody else" }];
    });
}

/** `named`: fingerprints, the short key, and whom it belongs to. */
function isOwnKey(named: readonly string[], key: string | undefined, email: string): boolean {
  const owner = named.at(-1) ?? "";
  const ids = named.slice(0, -1).filter((one) => one !== "");
  const wanted = key?.replace(/^0x|!$/gi, "") ?? "";
  if (/^[0-9a-f]{8,}$/i.test(wanted)) return ids.some((id) => id.toUpperCase().endsWith(wanted.toUpperCase()));
  return owner.toLowerCase().includes(email.toLowerCase()) && email !== "";
}
