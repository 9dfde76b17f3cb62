import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "../bench/bench.ts";
import { expect, member } from "../expect.ts";
import type { Case } from "./case.ts";
import type { Trial } from "./trial.ts";

const AT_ONCE = 8;

/** Workspaces: where a session works, and in which workspace its state is kept. */
export const workspaceCases: readonly Case[] = [
  {
    number: 31,
    title: "without a ground: the workspace by its slug, then the active one, then the host's directory with a warning",
    needs: ["workspaces", "machine"],
    run: (trial) =>
      withFolders(trial.bench, 2, async ([one = "", two = ""], workspaces) => {
        const spawn = (more: object) => trial.trySpawn({ adapter: trial.bench.spawnBody["adapter"], ...more });
        await workspaces.add("aip46-one", one);
        await workspaces.add("aip46-two", two);
        try {
          await workspaces.use("aip46-two");
          const bySlug = await spawn({ workspaceSlug: "aip46-one" });
          expect(member(bySlug.body, "cwd") === one, `by its slug it works in ${member(bySlug.body, "cwd")}`);
          expect(member(bySlug.body, "workspaceSlug") === "aip46-one", "by its slug it has another workspaceSlug");
          const byActive = await spawn({});
          expect(member(byActive.body, "cwd") === two, `without one it works in ${member(byActive.body, "cwd")}`);
          await workspaces.use(null);
          const byHost = await spawn({});
          expect(byHost.status === 201, `without any it is answered with ${byHost.status}`);
          expect(member(byHost.body, "workspaceSlug") === "default", "without any it is not in default");
          const warnings = member(byHost.body, "warnings");
          expect(Array.isArray(warnings) && warnings.length > 0, "without any there is no warning");
        } finally {
          await workspaces.remove("aip46-one");
          await workspaces.remove("aip46-two");
        }
      }),
  },
  {
    number: 32,
    title: "a slug that is not registered leads to no path: its session is in default",
    needs: ["workspaces"],
    run: async ({ trySpawn, bench }) => {
      for (const workspaceSlug of ["../../etc", "never-registered", "..", "a/b"]) {
        const { status, body } = await trySpawn({ adapter: bench.spawnBody["adapter"], workspaceSlug });
        expect(status === 201, `${workspaceSlug} is answered with ${status}`);
        expect(member(body, "workspaceSlug") === "default", `${workspaceSlug} is kept as a workspace`);
        const [cwd, ground] = [String(member(body, "cwd")), String(member(body, "ground"))];
        expect(!/(^|\/)(etc|\.\.)($|\/)/.test(cwd) && !ground.includes(".."), `${workspaceSlug} leads to ${cwd}`);
      }
    },
  },
  {
    number: 33,
    title: "many sessions in one workspace push none out of another",
    needs: ["workspaces", "restart", "machine"],
    run: (trial) =>
      withFolders(trial.bench, 2, async ([one = "", two = ""], workspaces) => {
        const [many, few] = trial.bench.bucketSessions;
        await workspaces.add("aip46-many", one);
        await workspaces.add("aip46-few", two);
        const fill = async (slug: string, count: number): Promise<readonly string[]> => {
          const ids: string[] = [];
          const { ground: _ground, cwd: _cwd, ...body } = trial.bench.spawnBody;
          for (let at = 0; at < count; at += AT_ONCE) {
            const part = Array.from({ length: Math.min(AT_ONCE, count - at) }, () =>
              trial.trySpawn({ ...body, ground: `ws://workspaces/${slug}` }),
            );
            ids.push(...(await Promise.all(part)).map((answer) => String(member(answer.body, "id"))));
          }
          return ids;
        };
        const kept = await fill("aip46-few", few);
        await fill("aip46-many", many);
        await trial.bench.restart?.();
        for (const id of kept) {
          const { status, body } = await trial.call("GET", `/sessions/${id}`);
          expect(status === 200, `one of the few is answered with ${status} after the restart`);
          expect(member(body, "workspaceSlug") === "aip46-few", "one of the few is in another workspace");
        }
        await workspaces.remove("aip46-many");
        await workspaces.remove("aip46-few");
      }),
  },
  {
    number: 34,
    title: "a store of before is split by workspace once, and its file is left as it is",
    needs: ["workspaces", "restart", "legacyFile", "machine"],
    run: (trial) =>
      migrated(trial, async ({ ids }) => {
        const byId = new Map((await trial.list()).map((session) => [session.id, session]));
        const slugs = ids.map((id) => byId.get(id)?.workspaceSlug);
        expect(slugs.join() === "aip46-old,aip46-old,default,default,default", `they are in ${slugs.join()}`);
        await trial.call("DELETE", `/sessions/${ids[0]}`);
        await trial.bench.restart?.();
        expect(!(await trial.list()).some(({ id }) => id === ids[0]), "what was deleted came back");
      }),
    deviating: (trial) =>
      migrated(trial, async ({ ids }) => {
        const known = new Set((await trial.list()).map(({ id }) => id));
        expect(
          ids.every((id) => !known.has(id)),
          "a file that does not apply was read",
        );
      }),
  },
];

/** Puts a read-only file of the older format in place; it must be unchanged, byte for byte, at the end. */
async function migrated(
  trial: Trial,
  check: (planted: { readonly ids: readonly string[] }) => Promise<void>,
): Promise<void> {
  const { bench } = trial;
  await withFolders(bench, 1, async ([folder = ""], workspaces) => {
    await workspaces.add("aip46-old", folder);
    const path = bench.legacyFile ?? "";
    const ids = [1, 2, 3, 4, 5].map((n) => `aip46-legacy-${n}`);
    const slugs = ["aip46-old", "aip46-old", "default", "../../etc", "gone"];
    const startedAt = new Date().toISOString();
    const text = JSON.stringify({
      sessions: ids.map((id, at) => ({
        id,
        adapterSlug: bench.spawnBody["adapter"],
        workspaceSlug: slugs[at],
        ground: "",
        cwd: folder,
        status: "killed",
        startedAt,
        endedAt: startedAt,
      })),
    });
    await writeFile(path, text);
    await chmod(path, 0o444);
    try {
      await bench.restart?.();
      await check({ ids });
      expect((await readFile(path, "utf8").catch(() => "")) === text, "the old file was changed");
    } finally {
      await workspaces.remove("aip46-old");
      await rm(path, { force: true });
    }
  });
}

async function withFolders(
  bench: Bench,
  count: number,
  work: (folders: readonly string[], workspaces: NonNullable<Bench["workspaces"]>) => Promise<void>,
): Promise<void> {
  if (bench.workspaces === null) return;
  const made = await Promise.all(Array.from({ length: count }, () => mkdtemp(join(tmpdir(), "aip46-"))));
  try {
    await work(await Promise.all(made.map((folder) => realpath(folder))), bench.workspaces);
  } finally {
    for (const folder of made) await rm(folder, { recursive: true, force: true });
  }
}
