import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type LeaseClone, setUpClones } from "../../../test/support/lease-clones.ts";
import { proves } from "../../../test/support/proves.ts";
import type { SharedPlace, Swapped } from "./ref-documents.ts";

const ID = "TKT-20260101-120000-AB12";
const shared = ({ governed }: LeaseClone): SharedPlace => ({ repository: governed.repository, remote: "origin" });
const alone = ({ governed }: LeaseClone): SharedPlace => ({ repository: governed.repository, remote: null });

proves("GR-12", "of many that swap the same state at once one wins, and the others see what it wrote", async () => {
  using all = setUpClones();
  const clones = [await all.clone("a"), await all.clone("b"), await all.clone("c")];
  let from: string | null = null;
  for (let round = 0; round < 3; round++) {
    for (const one of clones) await one.refs.documents.refresh(shared(one), "status");
    const state: string | null = from;
    const swapped: readonly Swapped[] = await Promise.all(
      clones.map((one, at) =>
        one.refs.documents.swap(shared(one), "status", ID, { from: state, text: `${round} ${at}` }),
      ),
    );
    const won = swapped.flatMap((one) => (one.swapped ? [one.document] : []));
    expect(won).toHaveLength(1);
    const [winner] = won;
    from = winner?.oid ?? null;
    for (const one of swapped) if (!one.swapped) expect(one.now).toEqual(winner);
  }
  for (const one of clones) {
    await one.refs.documents.refresh(shared(one), "status");
    expect(await one.refs.documents.read(shared(one), "status", ID)).toMatchObject({ oid: from });
    expect(await one.refs.documents.list(shared(one), "status")).toHaveLength(1);
  }
  // Each state leads back to the one that it was made from.
  expect(all.git(all.origin, "log", "--format=%s", `refs/nomos/status/${ID}`).split("\n")).toHaveLength(3);
});

proves("GR-12", "without a remote, twenty swaps of one state at once: one wins", async () => {
  using all = setUpClones();
  const a = await all.clone("a");
  const { documents } = a.refs;
  const swapped = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      documents.swap(alone(a), "evidence", ID, { from: null, text: `proof ${at}\n` }),
    ),
  );
  const won = swapped.flatMap((one) => (one.swapped ? [one.document] : []));
  expect(won).toEqual([await documents.read(alone(a), "evidence", ID)]);
});

proves("GR-12", "a remote that is away changes nothing, and a text comes back byte for byte", async () => {
  using all = setUpClones();
  const [a, b] = [await all.clone("a"), await all.clone("b")];
  const text = `{"why": "ünïcode \u2028 and\ttabs",\r\n "b": 1}`;
  const done = await a.refs.documents.swap(shared(a), "evidence", ID, { from: null, text });
  const from = done.swapped ? done.document.oid : "";
  renameSync(all.origin, `${all.origin}.away`);
  await expect(a.refs.documents.swap(shared(a), "evidence", ID, { from, text: "x" })).rejects.toMatchObject({
    code: "lease_remote_failed",
  });
  expect(await a.refs.documents.read(shared(a), "evidence", ID)).toMatchObject({ text, oid: from });
  renameSync(`${all.origin}.away`, all.origin);
  await b.refs.documents.refresh(shared(b), "evidence");
  expect(await b.refs.documents.list(shared(b), "evidence")).toEqual([{ id: ID, oid: from, text }]);
  expect(await b.refs.documents.list(shared(b), "status")).toEqual([]);
});

proves("GR-12", "what is no document is left out, and no name leads out of the folder of refs", async () => {
  using all = setUpClones();
  const a = await all.clone("a", { remote: null });
  const { documents } = a.refs;
  writeFileSync(join(a.path, "file"), "x");
  all.git(a.path, "add", "file");
  all.git(a.path, "commit", "-qm", "with a file");
  const head = all.git(a.path, "rev-parse", "HEAD");
  await documents.swap(alone(a), "status", ID, { from: null, text: "todo" });
  all.git(a.path, "update-ref", "refs/nomos/status/TKT-COMMIT", head);
  all.git(a.path, "update-ref", "refs/nomos/status/TKT-BLOB", all.git(a.path, "hash-object", "-w", ".git/config"));
  all.git(a.path, "symbolic-ref", "refs/nomos/status/TKT-LINK", "refs/heads/main");
  const bytes =
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\n\xff\xfe";
  writeFileSync(join(all.directory, "odd"), bytes, "latin1");
  const odd = all.git(a.path, "hash-object", "-w", "-t", "commit", "--literally", join(all.directory, "odd"));
  all.git(a.path, "update-ref", "refs/nomos/status/TKT-BYTES", odd);
  expect((await documents.list(alone(a), "status")).map(({ id }) => id)).toEqual([ID]);
  expect(await documents.read(alone(a), "status", "TKT-COMMIT")).toBeNull();
  // A link is replaced, and not followed.
  const linked = await documents.swap(alone(a), "status", "TKT-LINK", { from: head, text: "mine" });
  expect([linked.swapped, all.git(a.path, "rev-parse", "main")]).toEqual([true, head]);
  for (const id of ["../../heads/main", "a/b", "a..b", "-a", "a.lock", "a b", "a~1", "", "a\n", "x".repeat(101)])
    await expect(documents.read(alone(a), "status", id)).rejects.toMatchObject({ code: "ticket_not_found" });
  const text = "x".repeat(1_000_001);
  await expect(documents.swap(alone(a), "status", ID, { from: null, text })).rejects.toMatchObject({
    code: "body_too_large",
  });
});

proves("GR-12", "ten thousand statuses are listed in one go", async () => {
  using all = setUpClones();
  const a = await all.clone("a", { remote: null });
  const { documents, local } = a.refs;
  const { repository } = a.governed;
  const oids = await Promise.all(["todo", "done"].map((text) => local.write(repository, text, [])));
  const names = Array.from({ length: 10_000 }, (_, at) => `TKT-${at}`).toSorted();
  const lines = names.map((name, at) => `${oids[at % 2]} refs/nomos/status/${name}\n`);
  writeFileSync(
    join(a.path, ".git", "packed-refs"),
    `# pack-refs with: peeled fully-peeled sorted \n${lines.join("")}`,
  );
  const began = performance.now();
  expect(await documents.list(alone(a), "status")).toHaveLength(10_000);
  expect(performance.now() - began).toBeLessThan(5000);
});
