import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { needs } from "../../../../test/support/needs.ts";
import { proves } from "../../../../test/support/proves.ts";
import { eventually, readAll, rehearse } from "../../../../test/support/rehearsal.ts";
import { systemClock } from "../../machine/clock.ts";
import { findBubblewrap } from "../find-bubblewrap.ts";
import type { Walls } from "../walls.ts";
import { keepPublicFolder } from "./public-folder.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const bwrapPath = "path" in found ? found.path : "";
const WALLS: Walls = { mounts: [], programs: [], home: null, temp: null, door: null };
/** Only root can put files into the system, and only root's daemon can read root's files. */
const provesAsRoot = proves.skipIf(!needs("bwrap") || process.getuid?.() !== 0);

/** Makes a folder in a place that sandboxes show; removed after the test. */
function inSystem(place: string) {
  const folder = mkdtempSync(join(place, "nomos-test-"));
  chmodSync(folder, 0o755);
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

describe("system files that are not readable by everybody", () => {
  provesAsRoot("WL-23", "a root daemon's session does not see closed system files, wherever they are", async () => {
    using place = inSystem("/usr/local");
    const { folder } = place;
    await using stage = rehearse({ bwrapPath, closedRoots: [folder] });
    const at = (path: string) => join(folder, path);
    for (const name of ["closed", "open/deep", "large"]) mkdirSync(at(name), { recursive: true });
    for (const name of ["key", "closed/key", "open/deep/key", "large/key"])
      writeFileSync(at(name), stage.secret, { mode: 0o600 });
    for (const name of ["plain", "open/deep/plain", "large/plain"]) writeFileSync(at(name), "fine\n");
    for (let n = 0; n < 40; n += 1) writeFileSync(at(`large/${n}`), "");
    chmodSync(at("closed"), 0o710);
    symlinkSync("plain", at("link"));
    const script = `cd ${folder}; cat key closed/key open/deep/key large/key; cat plain link open/deep/plain large/plain; ls; touch new`;
    const { stdout } = await readAll(stage.shell(script, { walls: WALLS }));
    expect(stdout).toBe("fine\nfine\nfine\nfine\nlarge\nlink\nopen\nplain\n");
    expect(existsSync(at("new"))).toBe(false);
  });

  provesAsRoot("WL-23", "closed system files that are replaced during a session stay hidden", async () => {
    using local = inSystem("/usr/local");
    using etc = inSystem("/etc");
    await using stage = rehearse({ bwrapPath, closedRoots: [local.folder], copiesEtc: true });
    const files = [join(local.folder, "key"), join(etc.folder, "key")];
    for (const file of files) writeFileSync(file, stage.secret, { mode: 0o600 });
    writeFileSync(join(etc.folder, "plain"), "fine\n");
    const script = `: > ready; while [ ! -e go ]; do sleep 0.02; done; cat ${files.join(" ")} ${etc.folder}/new; cat ${etc.folder}/plain`;
    const running = readAll(stage.shell(script, { walls: WALLS }));
    await eventually(() => existsSync(join(stage.workspace, "ready")));
    for (const file of [...files, join(etc.folder, "new")]) {
      writeFileSync(`${file}.tmp`, stage.secret, { mode: 0o600 });
      renameSync(`${file}.tmp`, file);
    }
    writeFileSync(join(stage.workspace, "go"), "");
    expect((await running).stdout).toBe("fine\n");
  });
});

describe("the copy of the readable system files", () => {
  proves("WL-23", "the copy is made again after a change, and kept while it is in use", () => {
    const base = mkdtempSync(join(tmpdir(), "public-"));
    using _ = { [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
    const [source, folder] = [join(base, "etc"), join(base, "copies")];
    mkdirSync(source);
    writeFileSync(join(source, "a"), "1");
    const keep = () => keepPublicFolder({ source, folder, clock: systemClock() });
    const first = keep();
    const copy = first.current();
    expect([first.current(), keep().current()]).toEqual([copy, copy]);
    writeFileSync(join(source, "b"), "2", { mode: 0o600 });
    writeFileSync(join(source, "c"), "3");
    const second = keep();
    const giveBack = second.hold(copy);
    const newer = second.current();
    expect(readdirSync(newer).sort()).toEqual(["a", "c"]);
    expect(existsSync(copy)).toBe(true);
    giveBack();
    expect(readdirSync(folder)).toEqual([newer.slice(folder.length + 1)]);
  });
});
