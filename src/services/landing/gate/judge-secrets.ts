import type { FoundSecret, LandingRule } from "../../../domains/index.ts";
import type { LandedChange, LandingRepository } from "../../../host/index.ts";
import type { Redactor } from "../../../redaction/index.ts";
import type { Breathe } from "../../secret-scan/breath.ts";
import { createByteLook } from "../../secret-scan/byte-look.ts";
import { createLook } from "../../secret-scan/look.ts";
import { type Gathered, shownPath } from "./gather-findings.ts";
import { newBlobs } from "./judge-size.ts";

export interface Searched {
  readonly opened: Pick<LandingRepository, "git" | "blobs" | "sizes">;
  readonly changes: readonly LandedChange[];
  /** All new commits. */
  readonly commits: readonly string[];
  readonly redactor: Pick<Redactor, "find" | "look" | "text">;
  readonly breathe: Breathe;
}

const RULE: LandingRule = "secret";
/** What is held in memory at once. */
const GROUP_BYTES = 8_388_608;
const SHORT = 12;

/** Everything new on the branch: contents, names, messages. What a later commit removes is new all the same. */
export async function judgeSecrets(searched: Searched, found: Gathered): Promise<void> {
  const { opened, changes, redactor, breathe } = searched;
  const look = createLook(redactor, breathe);
  const blobs = newBlobs(changes);
  const sizes = await opened.sizes([...blobs.keys()]);
  const tell = (id: string, secrets: readonly FoundSecret[]): void => {
    const change = blobs.get(id);
    if (change !== undefined && secrets.length > 0) addFound(change, secrets, redactor, found);
  };
  for (const ids of groups(sizes)) {
    const texts = new Map<string, Buffer>();
    await opened.blobs(ids, (id, bytes) => void (bytes !== null && texts.set(id, Buffer.from(bytes))));
    for (const [id, bytes] of texts) {
      const { found: secrets, unread } = await look.bytes(bytes);
      tell(id, secrets);
      if (unread === "utf-16") tell(id, (await look.bytes(fromUtf16(bytes))).found);
    }
  }
  for (const [id, size] of sizes) if (size > GROUP_BYTES) tell(id, await inLargeBlob(searched, id));
  for (const name of new Set(changes.map(({ path }) => path))) {
    if (redactor.find(name).length > 0)
      found.add(RULE, {
        message: `The name of a file holds a secret: ${shownPath(redactor.text(name))}.`,
        remedy: TAKE_OUT,
      });
    await breathe();
  }
  await inCommits(searched, found);
}

const TAKE_OUT = "Take it out and rotate the secret; land with `--squash` when an earlier commit still has it.";

function addFound(
  { path, commit }: LandedChange,
  secrets: readonly FoundSecret[],
  redactor: Pick<Redactor, "text">,
  found: Gathered,
): void {
  const where = commit === null ? "" : ` in commit ${commit.slice(0, SHORT)}`;
  const name = redactor.text(path);
  for (const { kind, count } of secrets)
    found.add(RULE, {
      path: name,
      message: `${shownPath(name)}${where} holds a secret (${kind}${count > 1 ? `, ${count} times` : ""}).`,
      remedy: TAKE_OUT,
    });
}

/** As some editors and shells write text. Latin text has its zeros first where the high byte comes first. */
function fromUtf16(bytes: Buffer): Buffer {
  const pairs = bytes.subarray(0, bytes.length & ~1);
  const zeros = [0, 1].map((from) => pairs.filter((byte, at) => at % 2 === from && byte === 0).length);
  const isHighFirst = pairs.readUInt16BE() === BYTE_ORDER_MARK || (zeros[0] ?? 0) > (zeros[1] ?? 0);
  return Buffer.from((isHighFirst ? Buffer.from(pairs).swap16() : pairs).toString("utf16le"));
}

const BYTE_ORDER_MARK = 0xfeff;

/** Small blobs, so many at once as memory is granted for. */
function* groups(sizes: ReadonlyMap<string, number>): Generator<readonly string[]> {
  let group: string[] = [];
  let bytes = 0;
  for (const [id, size] of sizes) {
    if (size > GROUP_BYTES) continue;
    if (bytes + size > GROUP_BYTES && group.length > 0) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(id);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

/** Piece by piece, as git unpacks it. */
async function inLargeBlob({ opened, redactor, breathe }: Searched, id: string): Promise<readonly FoundSecret[]> {
  const counts = new Map<string, FoundSecret>();
  const look = createByteLook(redactor);
  const count = (findings: ReturnType<typeof look.push>): void => {
    for (const { kind, fingerprint } of findings) {
      const key = `${kind}:${fingerprint}`;
      counts.set(key, { kind, fingerprint, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  };
  await opened.git.must(["cat-file", "blob", id], {
    timeoutMs: READ_TIMEOUT_MS,
    take: (chunk) => {
      count(look.push(chunk));
      return null;
    },
  });
  count(look.end().findings);
  await breathe();
  return [...counts.values()];
}

const READ_TIMEOUT_MS = 600_000;
/** Messages and other headers of all new commits together. */
const HEADERS_BYTES_MAX = 16_777_216;

/** The whole commit object: a secret may stand in a header that nobody shows. */
async function inCommits({ opened: { git }, commits, redactor, breathe }: Searched, found: Gathered): Promise<void> {
  if (commits.length === 0) return;
  const told = await git.must(["rev-list", "--no-walk=unsorted", "--header", "--stdin"], {
    input: commits.map((id) => `${id}\n`).join(""),
    outputBytesMax: HEADERS_BYTES_MAX,
    timeoutMs: READ_TIMEOUT_MS,
  });
  const look = createLook(redactor, breathe);
  for (const header of told.toString("latin1").split("\0")) {
    const end = header.indexOf("\n");
    const { found: secrets } = await look.bytes(Buffer.from(header.slice(end + 1), "latin1"));
    for (const { kind } of secrets)
      found.add(RULE, {
        message: `The message of commit ${header.slice(0, SHORT)} holds a secret (${kind}).`,
        remedy: "Rotate the secret, and land with `--squash` and a message of your own.",
      });
  }
}
