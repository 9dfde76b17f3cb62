import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { errno, UNREACHABLE } from "../errno.ts";
import { writeFileAtomic } from "../files/atomic-file.ts";
import type { Repository } from "../git/find-repository.ts";
import type { GitRunner } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import { largeObjects, linkObjects, linkOrCopy, looseFile, splitIds } from "./large-objects.ts";

/**
 * Our own packs, one store for each repository, with only what commits, tags and branches reach. A repository's own
 * packs and loose objects also hold staged, stashed, amended or deleted contents, and whoever can read a pack can read
 * all of it. So a worktree gets our packs (as hard links), never the repository's.
 */
export interface ObjectStores {
  /** Puts exactly what the tips reach into `to`. Returns the tips whose objects are there. */
  readonly hold: (order: HoldOrder) => Promise<ReadonlySet<string>>;
  /** Drops the store after an error, so that the next call packs again. */
  readonly forget: (repository: Repository) => Promise<void>;
  /** Removes stores of repositories that are gone or unused for a while. Best effort. */
  readonly sweep: () => Promise<void>;
}

export interface HoldOrder {
  /** Reads the objects to choose from. */
  readonly git: GitRunner;
  /** Where those objects are: on our disk and out of every agent's reach. */
  readonly staged: string;
  readonly repository: Repository;
  /** Null when there is no commit yet. */
  readonly base: string | null;
  /** Ids of branches, tags and remotes. */
  readonly tips: readonly string[];
  readonly to: string;
}

/**
 * A pack of what its tips reach beyond the layers below it. A worktree takes the layers whose tips are still reached,
 * and one more for new objects. After a commit that is a small pack instead of the whole history.
 */
interface Layer {
  readonly tips: readonly string[];
  /** Null when nothing is new. */
  readonly pack: string | null;
  readonly bytes: number;
  /** Large objects that are not in the pack. */
  readonly loose: readonly string[];
}

const LAYERS_MAX = 12;
/** The lowest layer ends this many commits below the base, because people amend and rebase newer ones. */
const SETTLED_COMMITS = 20;
const UNUSED_MAX_MS = 2_592_000_000;
const PACK_TIMEOUT_MS = 600_000;
const LISTED_BYTES_MAX = 1_073_741_824;
const LIST = "layers.json";

export function createObjectStores(folder: string): ObjectStores {
  const last = new Map<string, Promise<unknown>>();
  const placeOf = ({ commonDir, objectFormat }: Repository): string =>
    join(folder, createHash("sha256").update(`${objectFormat} ${commonDir}`).digest("hex").slice(0, 32));
  /** Runs calls for one store one after another. */
  const inTurn = <T>(place: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(place) ?? Promise.resolve()).then(work, work);
    last.set(place, mine);
    return mine.finally(() => {
      if (last.get(place) === mine) last.delete(place);
    });
  };
  const remove = (place: string) => rm(place, { recursive: true, force: true });

  return {
    hold: (order) => {
      const place = placeOf(order.repository);
      return inTurn(place, async () => {
        await mkdir(join(place, "pack"), { recursive: true, mode: 0o700 });
        const { layers, held } = await layersFor(place, order);
        const known = { commonDir: order.repository.commonDir, layers };
        await writeFileAtomic(join(place, LIST), JSON.stringify(known), { mode: 0o600 });
        await utimes(join(place, LIST), new Date(), new Date());
        await tidy(place, layers);
        await handOut(place, layers, order.to);
        return held;
      });
    },
    forget: (repository) => inTurn(placeOf(repository), () => remove(placeOf(repository))),
    sweep: async () => {
      for (const name of await readdir(folder).catch(() => [])) {
        const place = join(folder, name);
        if (await isStale(place)) await remove(place).catch(() => undefined);
      }
    },
  };
}

interface Held {
  readonly layers: readonly Layer[];
  readonly held: ReadonlySet<string>;
}

/** If another branch is damaged, its history cannot be walked; then only the base is taken. */
async function layersFor(place: string, order: HoldOrder): Promise<Held> {
  const { git, base } = order;
  const own = base === null ? [] : [base];
  const tips = await presentIn(git, [...own, ...order.tips]);
  try {
    return await walked(place, order, tips);
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== "git_failed") throw thrown;
    return walked(place, order, own);
  }
}

async function walked(place: string, order: HoldOrder, tips: readonly string[]): Promise<Held> {
  const { git, base } = order;
  const layers: Layer[] = [...(await stillReached(git, place, tips))];
  const below = () => layers.flatMap((layer) => layer.tips);
  const settled = layers.length === 0 && base !== null ? await settledCommit(git, base) : null;
  if (settled !== null) layers.push(await pack(order, place, [settled], []));
  const known = new Set(below());
  if (tips.some((id) => !known.has(id))) layers.push(await pack(order, place, tips, below()));
  return { layers, held: new Set(tips) };
}

async function settledCommit(git: GitRunner, base: string): Promise<string | null> {
  const skip = [`--skip=${SETTLED_COMMITS}`, "--max-count=1", "--first-parent"];
  return (await git.text(["rev-list", ...skip, base], LONG)) || null;
}

const LONG = { timeoutMs: PACK_TIMEOUT_MS } as const;

/** Drops tips whose objects are missing: such a ref is damaged and would be in the worktree too. */
async function presentIn(git: GitRunner, ids: readonly string[]): Promise<readonly string[]> {
  const all = [...new Set(ids)];
  if (all.length === 0) return [];
  const told = await git.text(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input: lines(all) });
  const missing = new Set(told.split("\n").flatMap((line) => (line.endsWith(" missing") ? [line.split(" ")[0]] : [])));
  return all.filter((id) => !missing.has(id));
}

/** The lowest layers, up to the first one with unreachable contents: a branch was deleted or rewritten. */
async function stillReached(git: GitRunner, place: string, tips: readonly string[]): Promise<readonly Layer[]> {
  const layers = await readLayers(place);
  const kept: Layer[] = [];
  for (const layer of layers.length > LAYERS_MAX ? layers.slice(0, 1) : layers) {
    if (!(await isWhole(place, layer)) || !(await isReached(git, layer.tips, tips))) break;
    kept.push(layer);
  }
  return kept;
}

async function isReached(git: GitRunner, ids: readonly string[], from: readonly string[]): Promise<boolean> {
  const named = new Set(from);
  const others = ids.filter((id) => !named.has(id));
  if (others.length === 0) return true;
  const options = { ...LONG, input: lines([...others, ...from.map((id) => `^${id}`)]) };
  // Commits first, because that is fast; then tags and single files that a tag names.
  for (const args of [["--max-count=1"], ["--objects"]]) {
    const { exitCode, stdout } = await git.run(["rev-list", ...args, "--stdin"], options);
    if (exitCode !== 0 || stdout.length > 0) return false;
  }
  return true;
}

/** Reuses existing deltas and searches for none, because that search makes packing slow. */
async function pack(
  order: HoldOrder,
  place: string,
  tips: readonly string[],
  below: readonly string[],
): Promise<Layer> {
  const { git, staged } = order;
  const input = lines([...tips, ...below.map((id) => `^${id}`)]);
  // Objects that a partial clone has not fetched may be missing.
  const walk = ["rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--stdin"];
  const ids = await git.must(walk, { ...LONG, input, outputBytesMax: LISTED_BYTES_MAX });
  const { inSet: loose, rest } = splitIds(ids, await largeObjects(staged));
  await linkObjects(staged, join(place, LOOSE), loose);
  if (rest.length === 0) return { tips, pack: null, bytes: 0, loose };
  const flags = ["-q", "--window=0", "--delta-base-offset", "--compression=1"];
  const told = await git.text(["pack-objects", ...flags, join(place, "pack", "pack")], { ...LONG, input: rest });
  const name = `pack-${told.trim()}`;
  return { tips, pack: name, bytes: (await stat(packFile(place, name))).size, loose };
}

const LOOSE = "loose";

function packFile(place: string, name: string): string {
  return join(place, "pack", `${name}.pack`);
}

function lines(list: readonly string[]): string {
  return list.map((one) => `${one}\n`).join("");
}

async function readLayers(place: string): Promise<readonly Layer[]> {
  return (await readList(place))?.layers ?? [];
}

async function readList(place: string): Promise<{ commonDir: string; layers: readonly Layer[] } | null> {
  const text = await readFile(join(place, LIST), "utf8").catch((thrown: unknown) => {
    if (UNREACHABLE.includes(errno(thrown) ?? "")) return "null";
    throw thrown;
  });
  try {
    const parsed: unknown = JSON.parse(text);
    return isList(parsed) ? parsed : null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

function isList(value: unknown): value is { commonDir: string; layers: readonly Layer[] } {
  if (typeof value !== "object" || value === null || !("commonDir" in value) || !("layers" in value)) return false;
  return typeof value.commonDir === "string" && Array.isArray(value.layers) && value.layers.every(isLayer);
}

function isLayer(value: unknown): value is Layer {
  if (typeof value !== "object" || value === null || !("tips" in value) || !("pack" in value)) return false;
  const isName = value.pack === null || (typeof value.pack === "string" && /^pack-[0-9a-f]+$/.test(value.pack));
  const hasLoose = "loose" in value && isIds(value.loose);
  return isName && hasLoose && "bytes" in value && typeof value.bytes === "number" && isIds(value.tips);
}

function isIds(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string" && /^[0-9a-f]{40,64}$/.test(one));
}

async function isWhole(place: string, { pack: name, bytes, loose }: Layer): Promise<boolean> {
  for (const id of loose) if ((await stat(looseFile(join(place, LOOSE), id)).catch(() => null)) === null) return false;
  if (name === null) return true;
  const index = await stat(join(place, "pack", `${name}.idx`)).catch(() => null);
  const found = await stat(packFile(place, name)).catch(() => null);
  return index !== null && found?.size === bytes;
}

async function tidy(place: string, layers: readonly Layer[]): Promise<void> {
  const kept = new Set(layers.flatMap((layer) => layer.pack ?? []));
  for (const name of await readdir(join(place, "pack")))
    if (!kept.has(name.split(".")[0] ?? "")) await rm(join(place, "pack", name), { force: true });
  const large = new Set(layers.flatMap((layer) => layer.loose));
  for (const folder of await readdir(join(place, LOOSE)).catch(() => []))
    for (const name of await readdir(join(place, LOOSE, folder)))
      if (!large.has(folder + name)) await rm(join(place, LOOSE, folder, name), { force: true });
}

const ENDINGS = ["pack", "rev", "idx"];

async function handOut(place: string, layers: readonly Layer[], to: string): Promise<void> {
  for (const name of new Set(layers.flatMap((layer) => layer.pack ?? [])))
    for (const ending of ENDINGS) {
      const file = join("pack", `${name}.${ending}`);
      await linkOrCopy(join(place, file), join(to, file)).catch((thrown: unknown) => {
        // Not every version of git writes one.
        if (ending !== "rev" || errno(thrown) !== "ENOENT") throw thrown;
      });
    }
  await linkObjects(join(place, LOOSE), to, [...new Set(layers.flatMap((layer) => layer.loose))]);
}

async function isStale(place: string): Promise<boolean> {
  const used = await stat(join(place, LIST)).catch(() => null);
  const list = await readList(place).catch(() => null);
  if (used === null || list === null || Date.now() - used.mtimeMs > UNUSED_MAX_MS) return true;
  return (await stat(list.commonDir).catch(() => null)) === null;
}
