import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { type LeaseClones, setUpClones } from "../../../test/support/lease-clones.ts";
import { proves } from "../../../test/support/proves.ts";

const T = "TKT-20260101-120000-AB12";
const [OURS, THEIRS, SEEN] = [`refs/nomos/leases/${T}`, `refs/exoprotocol/locks/${T}`, `refs/nomos/seen/${T}`];
const A = { owner: "agent:a" };
const B = { owner: "agent:b" };

function script(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Whether a process has this word among its arguments. */
function isRunning(word: string): boolean {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(word);
}

const faulty = (code: string, details = {}) => ({ code, details: expect.objectContaining(details) });

/** Reached by a program in place of ssh, which gets the command as its last argument. */
function overSsh(all: LeaseClones, name: string, text: string) {
  all.git(join(all.directory, name), "remote", "set-url", "origin", `ssh://there${all.origin}`);
  return { GIT_SSH_COMMAND: script(join(all.directory, `ssh-${name}`), text), GIT_SSH_VARIANT: "ssh" };
}

proves(
  "GR-7",
  "a remote that is away: the claim is refused with the reason, and the lease that is held stays held",
  async () => {
    using all = setUpClones();
    const a = await all.clone("a");
    const { fence } = await a.leases.claim(a.governed, T, A);
    renameSync(all.origin, `${all.origin}.away`);
    const refused = faulty("lease_remote_failed", { remote: "origin" });
    await expect(a.leases.heartbeat(a.governed, T, { ...A, fence })).rejects.toMatchObject(refused);
    await expect(a.leases.release(a.governed, T, { ...A, fence: 9 })).rejects.toMatchObject(refused);
    await expect(a.leases.claim(a.governed, "TKT-2", A)).rejects.toMatchObject(refused);
    expect(await a.leases.check(a.governed, T, fence)).toBeNull();
    expect(await a.leases.holder(a.governed, "TKT-2")).toBeNull();
    renameSync(`${all.origin}.away`, all.origin);
    expect(await a.leases.heartbeat(a.governed, T, { ...A, fence })).toMatchObject({ fence });
    const b = await all.clone("b", { remote: "upstream" });
    await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject(
      faulty("lease_remote_failed", { remote: "upstream" }),
    );
  },
);

proves("GR-7", "a remote that hangs: the claim ends at its time limit, and no process stays behind", async () => {
  using all = setUpClones();
  await all.clone("a");
  const environment = overSsh(all, "a", `sleep 98765 & wait`);
  const a = await all.open(join(all.directory, "a"), { environment, remoteTimeoutMs: 600 });
  const began = performance.now();
  await expect(a.leases.claim(a.governed, T, A)).rejects.toMatchObject(
    faulty("lease_remote_failed", { reason: expect.stringContaining("it took longer than 600 ms") }),
  );
  expect(performance.now() - began).toBeLessThan(5000);
  expect(isRunning("sleep 98765")).toBe(false);
});

proves("GR-7", "a remote that took the push and then hangs: the claim holds", async () => {
  using all = setUpClones();
  script(join(all.origin, "hooks", "post-receive"), "sleep 600");
  const [a, b] = [await all.clone("a", { remoteTimeoutMs: 1500 }), await all.clone("b")];
  expect(await a.leases.claim(a.governed, T, A)).toMatchObject({ fence: 1 });
  expect(await a.leases.check(a.governed, T, 1)).toBeNull();
  await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject({ code: "ticket_leased" });
});

proves("GR-7", "a slow remote only takes longer; a remote that refuses says why", async () => {
  using all = setUpClones();
  await all.clone("a");
  const environment = overSsh(all, "a", `sleep 0.3; shift $(($# - 1)); eval "$1"`);
  const a = await all.open(join(all.directory, "a"), { environment });
  expect(await a.leases.claim(a.governed, T, A)).toMatchObject({ fence: 1 });
  const b = await all.clone("b");
  script(join(all.origin, "hooks", "pre-receive"), `echo "not on $(printf '\\033')[31mmy watch" >&2; exit 1`);
  const thrown = await b.leases.heartbeat(b.governed, T, { ...A, fence: 1 }).catch((one: unknown) => one);
  expect(thrown).toMatchObject(
    faulty("lease_remote_failed", { reason: expect.stringContaining("not on [31mmy watch") }),
  );
});

proves(
  "GR-7",
  "a remote that wants a password gets none, nothing asks for one, and the one of the address is not told",
  async () => {
    using all = setUpClones();
    const a = await all.clone("a");
    const server = createServer((_request, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const asked = join(all.directory, "asked");
    const asking = script(join(all.directory, "asking"), `touch ${asked}; echo hello`);
    all.git(a.path, "config", "core.askPass", asking);
    for (const login of ["", "ada:s3cret-word@"]) {
      all.git(a.path, "remote", "set-url", "origin", `http://${login}127.0.0.1:${port}/r.git`);
      const own = await all.open(a.path, { environment: { SSH_ASKPASS: asking, GIT_ASKPASS: asking } });
      const thrown = await own.leases.claim(own.governed, T, A).catch((one: unknown) => one);
      expect(thrown).toMatchObject({ code: "lease_remote_failed" });
      expect(JSON.stringify(thrown) + String(thrown)).not.toContain("s3cret");
    }
    expect(existsSync(asked)).toBe(false);
    server.closeAllConnections();
    server.close();
  },
);

proves("GR-7", "no hook of the person runs, and their settings for pushes change nothing", async () => {
  using all = setUpClones();
  const a = await all.clone("a");
  const ran = join(all.directory, "ran");
  all.git(a.path, "tag", "-a", "mine", "-m", "mine");
  for (const name of ["pre-push", "reference-transaction", "post-checkout", "post-commit"])
    script(join(a.path, ".git", "hooks", name), `echo ${name} >> ${ran}; exit 1`);
  const settings = [
    ...["push.followTags true", "push.gpgSign if-asked", "push.recurseSubmodules check", "push.default nothing"],
    ...["remote.origin.mirror true", "remote.origin.prune true", "fetch.prune true", "push.pushOption x"],
  ];
  for (const one of settings) all.git(a.path, "config", ...one.split(" "));
  const own = await all.open(a.path);
  expect(await own.leases.claim(own.governed, T, A)).toMatchObject({ fence: 1 });
  await own.leases.release(own.governed, T, { ...A, fence: 1 });
  expect(await own.leases.claim(own.governed, T, A)).toMatchObject({ fence: 2 });
  expect(existsSync(ran)).toBe(false);
  expect(all.git(all.origin, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
    THEIRS,
    "refs/heads/main",
    OURS,
  ]);
});

proves(
  "GR-8",
  "a lease that was moved back at the remote is refused by whoever saw the newer one, until it is restored",
  async () => {
    using all = setUpClones();
    const [a, b] = [await all.clone("a"), await all.clone("b")];
    await a.leases.claim(a.governed, T, A);
    const old = all.git(all.origin, "rev-parse", OURS);
    await a.leases.release(a.governed, T, { ...A, fence: 1 });
    expect(await b.leases.claim(b.governed, T, B)).toMatchObject({ fence: 2 });
    for (const ref of [OURS, THEIRS]) all.git(all.origin, "update-ref", ref, old);
    const refused = faulty("lease_rewound", { fence: 1, seenFence: 2, remote: "origin", ref: OURS });
    await expect(b.leases.heartbeat(b.governed, T, { ...B, fence: 2 })).rejects.toMatchObject(refused);
    await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject(refused);
    expect(await b.leases.check(b.governed, T, 2)).toBeNull();
    all.git(b.path, "push", "-q", "--force", "origin", `${SEEN}:${OURS}`);
    expect(await b.leases.heartbeat(b.governed, T, { ...B, fence: 2 })).toMatchObject({ fence: 2 });
    expect(all.git(all.origin, "rev-parse", THEIRS)).toBe(all.git(all.origin, "rev-parse", OURS));
  },
);

proves("GR-8", "a clone whose own ref was moved back or deleted believes what it has seen", async () => {
  using all = setUpClones();
  const a = await all.clone("a", { remote: null });
  await a.leases.claim(a.governed, T, A);
  const old = all.git(a.path, "rev-parse", OURS);
  expect(await a.leases.claim(a.governed, T, A)).toMatchObject({ fence: 2 });
  all.git(a.path, "update-ref", OURS, old);
  expect(await a.leases.check(a.governed, T, 1)).toMatchObject({ refused: "lease_lost" });
  expect(await a.leases.check(a.governed, T, 2)).toBeNull();
  expect(await a.leases.claim(a.governed, T, A)).toMatchObject({ fence: 3 });
  all.git(a.path, "update-ref", "-d", OURS);
  expect(await a.leases.check(a.governed, T, 3)).toBeNull();
  expect(await a.leases.claim(a.governed, T, A)).toMatchObject({ fence: 4 });
});

proves(
  "GR-8",
  "a lease that was deleted at the remote comes back with its fence; ExoProtocol's ref alone too",
  async () => {
    using all = setUpClones();
    const [a, b] = [await all.clone("a"), await all.clone("b")];
    await a.leases.claim(a.governed, T, A);
    all.git(all.origin, "update-ref", "-d", THEIRS);
    expect(await a.leases.heartbeat(a.governed, T, { ...A, fence: 1 })).toMatchObject({ fence: 1 });
    for (const ref of [OURS, THEIRS]) all.git(all.origin, "update-ref", "-d", ref);
    expect(await a.leases.renew(a.governed, T, { ...A, fence: 1 })).toMatchObject({ fence: 2 });
    expect(all.git(all.origin, "rev-parse", THEIRS)).toBe(all.git(all.origin, "rev-parse", OURS));
    await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject(faulty("ticket_leased", { fence: 2 }));
  },
);

proves(
  "GR-8",
  "what somebody else pushed under the lease's name is refused by name, and never taken for a lease",
  async () => {
    using all = setUpClones();
    const a = await all.clone("a");
    const own = (text: string) =>
      all.git(a.path, "commit-tree", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-m", text);
    all.git(a.path, "hash-object", "-w", "-t", "tree", "/dev/null");
    const lease = (id: string) => all.git(a.path, "log", "-1", "--format=%B", OURS).replaceAll(T, id);
    const { fence } = await a.leases.claim(a.governed, T, A);
    const odd = [all.git(a.path, "rev-parse", "main"), own("hello"), own(lease("TKT-OTHER"))];
    for (const ref of [OURS, THEIRS])
      for (const oid of odd) {
        const before = all.git(all.origin, "rev-parse", ref);
        all.git(a.path, "push", "-q", "--force", "origin", `${oid}:${ref}`);
        const refused = faulty("lease_damaged", { ref, remote: "origin", ticket: T });
        await expect(a.leases.heartbeat(a.governed, T, { ...A, fence })).rejects.toMatchObject(refused);
        expect(await a.leases.check(a.governed, T, fence)).toBeNull();
        all.git(all.origin, "update-ref", ref, before);
      }
    for (const ref of [OURS, SEEN]) all.git(a.path, "update-ref", ref, odd[0] ?? "");
    await expect(a.leases.check(a.governed, T, fence)).rejects.toMatchObject(faulty("lease_damaged", { ref: OURS }));
    expect(await a.leases.confirm(a.governed, T, fence)).toBeNull();
    expect(await a.leases.check(a.governed, T, fence)).toBeNull();
  },
);
