/** The files that make a law, below its folder; everything else there is people's work under it. */
export const LAW_NAMES = {
  constitution: "CONSTITUTION.md",
  config: "config.yaml",
  lock: "governance.lock.json",
  seal: "policy.sealed.json",
  ignore: ".gitignore",
  attributes: ".gitattributes",
  features: "features.yaml",
  requirements: "requirements.yaml",
} as const;

export const TICKETS = "tickets";
export const CACHE = "cache";

/** What lies in the folder because of the law. Whatever else is there, such as `tools/`, is none of ours. */
const OURS: readonly string[] = [...Object.values(LAW_NAMES), TICKETS, CACHE, "mementos"];

export function isOurs(name: string): boolean {
  return OURS.includes(name.split("/", 1)[0] ?? "");
}
/** What lies only in this clone. */
const LAW_GITIGNORE = `${CACHE}/\n`;
/** Other line ends would be an edit. */
const LAW_GITATTRIBUTES = "* -text -filter\n";

/** Files that git reads: somebody may have had some of their own here before. */
export const GIT_FILES: readonly (readonly [name: string, text: string])[] = [
  [LAW_NAMES.ignore, LAW_GITIGNORE],
  [LAW_NAMES.attributes, LAW_GITATTRIBUTES],
];

/** What `init` makes. */
export const MADE_NAMES: readonly string[] = [
  ...[LAW_NAMES.constitution, LAW_NAMES.config, LAW_NAMES.lock, LAW_NAMES.seal],
  ...GIT_FILES.map(([name]) => name),
];
