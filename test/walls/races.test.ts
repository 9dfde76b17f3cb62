import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventsOf, expectOk, prompt, start, turn } from "../e2e/support/talk.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { makeWorld, type World } from "./world.ts";

const provesStrict = proves.skipIf(!needs("bwrap", "git", "python3"));
const STARTS = 12;

/** Swaps a directory and a link to the outside as fast as possible, until it is stopped. */
const SWAPPER = `
import ctypes, os, sys
libc = ctypes.CDLL(None); inner, link = sys.argv[1].encode(), sys.argv[2].encode()
print("swapping", flush=True)
while True: libc.renameat2(-100, inner, -100, link, 2)`;

async function startSwapping({ known }: World, inner: string, link: string) {
  const child = spawn(known["PYTHON"] ?? "", ["-c", SWAPPER, inner, link], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

provesStrict("WX-5", "a directory replaced by a link while a command starts in it leads nowhere", async () => {
  await using world = await makeWorld();
  const [inner, link, outside] = [
    join(world.work, "inner"),
    join(world.work, "link"),
    join(world.root, "outside", "deep"),
  ];
  for (const folder of [inner, outside]) mkdirSync(folder);
  execFileSync("ln", ["-s", outside, link]);
  const { id } = await start(world.daemon, { cwd: inner, sandbox: "strict" });
  {
    await using _swapping = await startSwapping(world, inner, link);
    // Without walls the same race is won soon.
    for (let n = 0; n < 1000 && !existsSync(join(outside, "control")); n += 1)
      execFileSync("sh", ["-c", `cd ${inner} && touch control; true`]);
    for (let n = 0; n < STARTS; n += 1) await turn(world.daemon, id, "run touch raced; cat secret; ls -A");
  }
  expect(existsSync(join(outside, "control"))).toBe(true);
  expect(existsSync(join(outside, "raced"))).toBe(false);
});

provesStrict(
  "WL-25",
  "with sandbox `off`, a session swaps its neighbour's folder for a link to the home: the neighbour never sees the home",
  async () => {
    await using world = await makeWorld();
    const { NOMOS = "", PYTHON = "" } = world.known;
    const shared = join(NOMOS, "workspaces", "shared");
    const [inner, link] = [join(shared, "inner"), join(shared, "link")];
    mkdirSync(inner, { recursive: true });
    execFileSync("ln", ["-s", NOMOS, link]);
    writeFileSync(join(shared, "swap.py"), SWAPPER);
    const neighbour = await start(world.daemon, { cwd: inner });
    const attacker = await start(world.daemon, { cwd: shared });
    await prompt(world.daemon, attacker.id, `run ${PYTHON} swap.py ${inner} ${link}`);
    for (let n = 0; n < STARTS * 2; n += 1) await turn(world.daemon, neighbour.id, "run ls -A; head -c 9 token");
    expectOk(await world.daemon.call("DELETE", `/sessions/${attacker.id}`));
    const events = await eventsOf(world.daemon, neighbour.id);
    const seen = events.filter(({ type, data }) => type === "effect.output@1" && data["stream"] === "stdout");
    expect(seen.map(({ data }) => data["text"])).toEqual([]);
  },
);

provesStrict(
  "WX-5",
  "links that a session leaves in its HOME and workspace do not mislead the daemon in the next turn",
  async () => {
    await using world = await makeWorld();
    const { id } = await start(world.daemon, { cwd: world.work, sandbox: "strict" });
    const { PERSON = "", D = "", S = "" } = world.known;
    writeFileSync(
      join(world.work, "plant.sh"),
      `
for name in .bashrc .profile .gitconfig .npmrc .config .ssh .cache .local; do rm -rf ~/$name; ln -s ${PERSON}/$name ~/$name; done
rm -rf ~/tmp; ln -s ${D} ~/tmp; rm -rf /tmp/x; ln -s ${D} /tmp/x; ln -s ${S} there; ln -s ${D} nomos-temp
cd ~ && cd .. && mv home home.away; rmdir ~; ln -sfn ${PERSON} ~`,
    );
    await turn(world.daemon, id, "run sh plant.sh");
    await turn(
      world.daemon,
      id,
      `write there raced\nwrite nomos-temp/raced x\nrun echo raced >> ~/.bashrc; cat ~/.ssh/id_ed25519 there; echo raced > /tmp/x/raced`,
    );
    const said = JSON.stringify(await eventsOf(world.daemon, id));
    expect(said).not.toContain(world.secret);
    const found = execFileSync("sh", ["-c", `grep -rl raced ${PERSON} ${D}; ls ${D}; true`], { encoding: "utf8" });
    expect(found).not.toContain("raced");
    expect(found).not.toContain(".bashrc");
  },
);
