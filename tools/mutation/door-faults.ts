import type { Fault } from "./fault.ts";

const ACCESS = ["src/surfaces/http/access.test.ts"];
const LINKS = ["src/syscalls/dashboard/links.test.ts"];
const FILES = ["src/surfaces/files/web-files.test.ts"];

/** The dashboard's door: how a browser gets in, and what it is served. */
export const DOOR_FAULTS: readonly Fault[] = [
  {
    name: "a link can be used twice",
    file: "src/syscalls/dashboard/links.ts",
    from: "      issued.delete(hash);\n      return grant;",
    to: "      return grant;",
    project: "unit",
    tests: LINKS,
  },
  {
    name: "a link does not expire",
    file: "src/syscalls/dashboard/links.ts",
    from: "found !== undefined && found.untilMs > clock.steadyMs()",
    to: "found !== undefined",
    project: "unit",
    tests: LINKS,
  },
  {
    name: "the holder of a link may do everything",
    file: "src/syscalls/dashboard/links.ts",
    from: "capabilities: [ENTER], sessionId",
    to: 'capabilities: ["*"], sessionId',
    project: "unit",
    tests: LINKS,
  },
  {
    name: "a browser's link is taken from every user of the machine",
    file: "src/surfaces/http/access.ts",
    from: "isLocalLink(actor) && !(await isAtHome(request))",
    to: "false",
    project: "unit",
    tests: ACCESS,
  },
  {
    name: "the cookie of another port is taken",
    file: "src/surfaces/http/cookies.ts",
    from: "if (key === name)",
    to: 'if (key.startsWith("nomos-"))',
    project: "unit",
    tests: ACCESS,
  },
  {
    name: "a name that begins like the public one is served",
    file: "src/surfaces/http/guard.ts",
    from: "host.toLowerCase() === new URL(publicUrl).host",
    to: "host.toLowerCase().startsWith(new URL(publicUrl).host)",
    project: "unit",
    tests: ACCESS,
  },
  {
    name: "answers to paths of the API are the document",
    file: "src/surfaces/files/web-files.ts",
    from: "return !/^\\/api(\\/|$)/.test(path) && ",
    to: "return ",
    project: "unit",
    tests: FILES,
  },
  {
    name: "a link in the folder of the dashboard is followed",
    file: "src/surfaces/files/web-files.ts",
    from: "constants.O_RDONLY | constants.O_NOFOLLOW",
    to: "constants.O_RDONLY",
    project: "unit",
    tests: FILES,
  },
];
