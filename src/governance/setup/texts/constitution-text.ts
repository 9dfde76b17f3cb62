import type { Scan } from "../scan/scan-files.ts";

/** A rule as it is written into a constitution. */
interface WrittenRule {
  readonly id: string;
  readonly type: string;
  readonly patterns?: readonly string[];
  readonly actions?: readonly string[];
  readonly checks?: readonly (readonly string[])[];
  readonly message?: string;
}

interface Section {
  readonly title: string;
  readonly prose: string;
  readonly rules: readonly WrittenRule[];
}

/** The first law of a repository, made from what it is. The same repository gives the same text. */
export function constitutionText(name: string, scan: Scan, branch: string): string {
  const sections = [secrets(scan), law(), delivery(scan), archive(scan), leases(), checks(scan)].filter(
    (section) => section !== null,
  );
  return `${[head(name, scan, branch), ...sections.map(spelled)].join("\n\n")}\n`;
}

function head(name: string, scan: Scan, branch: string): string {
  return `# Constitution of ${plain(name)}

This is the law of this repository, for people and for AI agents. The text explains; the \`nomos-policy\` blocks are
what Nomos enforces. It is in force as the branch \`${plain(branch)}\` holds it. After a change run:

    nomos governance build
    nomos governance compose

and commit the three files together. \`nomos governance verify\` tells whether they belong together, in every clone and
without a daemon.

${about(scan)}`;
}

function about({ files, languages, sourceDirs, checks }: Scan): string {
  const lines = [
    languages.length === 0 ? null : `Languages: ${languages.map((one) => LANGUAGE_WORDS[one.name]).join(", ")}.`,
    sourceDirs.length === 0 ? null : `Sources: ${sourceDirs.map((dir) => `\`${dir}/\``).join(", ")}.`,
    checks.length === 0 ? null : `Checks: ${checks.map(({ argv }) => `\`${argv.join(" ")}\``).join(", ")}.`,
  ].filter((line) => line !== null);
  const known = `When this was written it had ${files} ${files === 1 ? "file" : "files"}.`;
  return ["## The repository", "", known, ...lines].join("\n");
}

const LANGUAGE_WORDS: { readonly [name in Scan["languages"][number]["name"]]: string } = {
  node: "JavaScript or TypeScript",
  python: "Python",
  go: "Go",
  rust: "Rust",
  java: "Java or Kotlin",
  ruby: "Ruby",
};

const ENV_FILES = ["**/.env", "**/.env.local", "**/.env.*.local", "**/.env.development", "**/.env.production"];

function secrets({ sensitive, envExamples, plainSettings }: Scan): Section {
  const env = envExamples.length === 0 ? ["**/.env*"] : [...ENV_FILES, "**/.env.staging", "**/.env.test"];
  const patterns = ["~/.aws", "~/.ssh", ...env, ...sensitive];
  const examples = envExamples.slice(0, SHOWN_MAX).map((path) => `\`${plain(path)}\``);
  return {
    title: "Secrets",
    prose: `Keys and passwords are for people: no agent reads or writes them. Give an agent what it needs as a secret of Nomos.${
      examples.length === 0 ? "" : ` ${examples.join(", ")} may be read: examples hold no secrets.`
    }`,
    rules: [
      {
        id: "SEC-001",
        type: "filesystem_deny",
        patterns: [...new Set(patterns)],
        actions: ["read", "write", "delete"],
        message: "Keys and passwords are for people.",
      },
      ...(plainSettings.length === 0
        ? []
        : [
            {
              id: "SEC-002",
              type: "filesystem_allow",
              patterns: plainSettings,
              actions: ["read"],
              message: "These settings hold no password.",
            },
          ]),
    ],
  };
}

const SHOWN_MAX = 5;

function law(): Section {
  return {
    title: "Git and the law",
    prose:
      "Agents work with commits, and not on git's own files. The law, the tickets and what proves them change by commands\nof Nomos and by people; nobody widens the fence that holds them.",
    rules: [
      {
        id: "GIT-001",
        type: "filesystem_deny",
        patterns: ["**/.git"],
        actions: ["write", "delete"],
        message: "Git's own files change by git.",
      },
      {
        id: "GOV-001",
        type: "filesystem_deny",
        patterns: [".nomos"],
        actions: ["write", "delete"],
        message: "The law changes by people and by `nomos governance`.",
      },
    ],
  };
}

const USUAL_CI = [".github/workflows", ".gitlab-ci.yml"];
const USUAL_HOOKS = [".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml"];

function delivery({ ci, hooks }: Scan): Section {
  return {
    title: "Continuous integration and hooks",
    prose: "What runs there has more rights than an agent has. People change it.",
    rules: [
      {
        id: "CI-001",
        type: "filesystem_deny",
        patterns: [...new Set([...USUAL_CI, ...ci])],
        actions: ["write", "delete"],
        message: "Continuous integration is changed by people.",
      },
      {
        id: "HOOK-001",
        type: "filesystem_deny",
        patterns: [...new Set([...USUAL_HOOKS, ...hooks])],
        actions: ["write", "delete"],
        message: "Hooks run with the rights of whoever commits.",
      },
    ],
  };
}

function archive({ hasArchive }: Scan): Section | null {
  if (!hasArchive) return null;
  return {
    title: "The archive",
    prose: "What is archived stays as it was.",
    rules: [
      {
        id: "ARC-001",
        type: "filesystem_deny",
        patterns: ["archive"],
        actions: ["write", "delete"],
        message: "The archive is kept as it is.",
      },
    ],
  };
}

function leases(): Section {
  return {
    title: "Who may write",
    prose: "Who writes holds the lease of a ticket, and stays inside the ticket's scope. Deleting is asked first.",
    rules: [{ id: "LEASE-001", type: "require_lease", message: "Lease a ticket first: `nomos ticket next`." }],
  };
}

function checks(scan: Scan): Section | null {
  if (scan.checks.length === 0) return null;
  return {
    title: "What has to pass",
    prose: "Work lands when these commands have passed on the tree that lands.",
    rules: [{ id: "CHECK-001", type: "require_checks", checks: scan.checks.map(({ argv }) => argv) }],
  };
}

function spelled({ title, prose, rules }: Section): string {
  return [`## ${title}`, prose, ...rules.map(block)].join("\n\n");
}

function block({ id, type, patterns, actions, checks: commands, message }: WrittenRule): string {
  const lines = [
    `id: ${id}`,
    `type: ${type}`,
    ...(patterns === undefined ? [] : ["patterns:", ...patterns.map((one) => `  - ${JSON.stringify(one)}`)]),
    ...(actions === undefined ? [] : [`actions: [${actions.join(", ")}]`]),
    ...(commands === undefined ? [] : ["checks:", ...commands.map((argv) => `  - ${flow(argv)}`)]),
    ...(message === undefined ? [] : [`message: ${JSON.stringify(message)}`]),
  ];
  return `\`\`\`yaml nomos-policy\n${lines.join("\n")}\n\`\`\``;
}

/** A list in one line; JSON is YAML. */
export function flow(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

/** Names of the repository's own choice must not end a block or begin one. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N} ._/@+-]/gu, "_").slice(0, NAME_CHARS_MAX);
}

const NAME_CHARS_MAX = 200;
