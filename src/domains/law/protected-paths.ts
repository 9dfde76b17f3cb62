import type { LawAction } from "../constitution/law-rule.ts";

/** Protected whatever a constitution says. */
export interface Protection {
  readonly patterns: readonly string[];
  readonly actions: readonly LawAction[];
  /** A `filesystem_allow` rule that covers a path lifts it there. */
  readonly isDefault: boolean;
  readonly message: string;
}

const CHANGE: readonly LawAction[] = ["write", "delete"];

/** The law itself, and what git runs by. No rule lifts this. */
const LAW_PATHS: readonly string[] = [".nomos", "**/.git"];

/** Continuous integration: what it runs has more rights than an agent. */
export const CI_PATHS: readonly string[] = [
  ...[".github/workflows", ".github/actions", ".gitlab-ci.yml", ".gitlab/ci", ".circleci", ".buildkite"],
  ...[".gitea/workflows", ".forgejo/workflows", ".woodpecker", ".woodpecker.yml", ".drone.yml", ".travis.yml"],
  ...["azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile"],
];

/** What runs when a person commits. */
export const HOOK_PATHS: readonly string[] = [
  ...[".husky", ".githooks", ".git-hooks", "lefthook.yml", ".lefthook.yml", ".pre-commit-config.yaml"],
];

/** What agents start by themselves, and what they may do. */
export const AGENT_PATHS: readonly string[] = [
  ...["**/.claude", "**/.codex", "**/.cursor", "**/.gemini", "**/.opencode", "**/.windsurf", "**/.continue"],
  ...["**/.cline", "**/.roo", "**/.kiro", "**/.qwen", "**/.goose", "**/.amp", "**/.mcp.json", "opencode.json"],
];

/** Keys and passwords. Those of the home are denied by their place already. */
const SECRET_PATHS: readonly string[] = [
  ...["**/.env", "**/.env.local", "**/.env.*.local", "**/.env.production", "**/*.pem", "**/*.key", "**/*.p12"],
  ...["**/*.pfx", "**/*.jks", "**/*.keystore", "**/id_rsa", "**/id_ecdsa", "**/id_ed25519", "**/.netrc"],
  ...["**/.npmrc", "**/.pypirc", "**/credentials.json", "**/serviceAccountKey*.json"],
  ...["~/.ssh", "~/.aws", "~/.gnupg", "~/.kube", "~/.config/gcloud", "~/.docker/config.json", "~/.netrc"],
];

export const PROTECTIONS: readonly Protection[] = [
  protection(LAW_PATHS, CHANGE, false, "The law and the git dir change by people's commands only."),
  protection(CI_PATHS, CHANGE, true, "Continuous integration runs with more rights than an agent has."),
  protection(HOOK_PATHS, CHANGE, true, "Hooks run with the rights of the person who commits."),
  protection(AGENT_PATHS, CHANGE, true, "An agent does not widen its own settings."),
  protection(SECRET_PATHS, ["read", ...CHANGE], true, "Keys and passwords are for people."),
];

function protection(
  patterns: readonly string[],
  actions: readonly LawAction[],
  isDefault: boolean,
  message: string,
): Protection {
  return { patterns, actions, isDefault, message };
}
