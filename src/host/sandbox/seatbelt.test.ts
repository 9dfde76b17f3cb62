import { expect, test } from "vitest";
import { seatbeltProfile } from "./seatbelt.ts";

/** Compares text only: there is no macOS here to test it on. */
test("the macOS profile has the same limits as the walls on Linux", () => {
  const profile = seatbeltProfile({
    cwd: '/Users/a/odd "name"',
    home: "/Users/a/.nomos/sandboxes/s/home",
    temp: "/Users/a/.nomos/tmp/t",
    mounts: [
      { path: '/Users/a/odd "name"/src/deep', access: "write" },
      { path: '/Users/a/odd "name"/src', access: "read" },
      { path: '/Users/a/odd "name"/keys', access: "hidden" },
    ],
    hidden: ["/Users/a/.nomos", "/Users/a"],
    ports: [4200, 3128],
  });
  expect(profile).toMatchInlineSnapshot(`
    "(version 1)
    (deny default)
    (allow process-fork process-exec signal (target same-sandbox))
    (allow sysctl-read)
    (allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
    (allow file-read* (subpath "/usr"))
    (allow file-read* (subpath "/bin"))
    (allow file-read* (subpath "/sbin"))
    (allow file-read* (subpath "/System"))
    (allow file-read* (subpath "/Library"))
    (allow file-read* (subpath "/private/etc"))
    (allow file-read* (subpath "/opt/homebrew"))
    (allow file-read* (subpath "/private/var/db/dyld"))
    (allow file-read-metadata)
    (allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
    (deny file-read* file-write* (subpath "/Users/a/.nomos"))
    (deny file-read* file-write* (subpath "/Users/a"))
    (allow file-read* file-write* (subpath "/Users/a/odd \\"name\\""))
    (allow file-read* file-write* (subpath "/Users/a/.nomos/sandboxes/s/home"))
    (allow file-read* file-write* (subpath "/Users/a/.nomos/tmp/t"))
    (allow file-read* (subpath "/Users/a/odd \\"name\\"/src"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/src"))
    (deny file-read* file-write* (subpath "/Users/a/odd \\"name\\"/keys"))
    (allow file-read* file-write* (subpath "/Users/a/odd \\"name\\"/src/deep"))
    (allow network-outbound (remote ip "localhost:4200"))
    (allow network-outbound (remote ip "localhost:3128"))
    (allow network-inbound (local ip "localhost:*"))
    "
  `);
});
