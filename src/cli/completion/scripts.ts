import type { CommandWord } from "./command-tree.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, tree: readonly CommandWord[]): string {
  return { bash, zsh, fish }[shell](tree);
}

function bash(tree: readonly CommandWord[]): string {
  return [
    '# Completion of nomos for bash: eval "$(nomos completion bash)"',
    "_nomos() {",
    `  local cur="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" words=""`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${namesOf(tree)}"`,
    "  else",
    ...cases(tree, '"$first"', '"$second"', '[ "$COMP_CWORD" -eq 2 ]'),
    "  fi",
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
    "complete -o default -F _nomos nomos",
    "",
  ].join("\n");
}

function zsh(tree: readonly CommandWord[]): string {
  return [
    "#compdef nomos",
    '# Completion of nomos for zsh: eval "$(nomos completion zsh)"',
    "_nomos() {",
    `  local first="\${words[2]}" second="\${words[3]}" words=""`,
    '  if [ "$CURRENT" -eq 2 ]; then',
    `    words="${namesOf(tree)}"`,
    "  else",
    ...cases(tree, '"$first"', '"$second"', '[ "$CURRENT" -eq 3 ]'),
    "  fi",
    `  compadd -- \${=words}`,
    "  _files",
    "}",
    "compdef _nomos nomos",
    "",
  ].join("\n");
}

/** bash and zsh use the same `case`. */
function cases(tree: readonly CommandWord[], first: string, second: string, isSecond: string): readonly string[] {
  const lines = tree.flatMap(({ word, options, next }) => {
    if (next.length === 0) return [`      ${word}) words="${options.join(" ")}" ;;`];
    return [
      `      ${word})`,
      `        if ${isSecond}; then words="${[namesOf(next), ...options].join(" ")}"`,
      `        else case ${second} in`,
      ...next.map((inner) => `          ${inner.word}) words="${[...inner.options, ...options].join(" ")}" ;;`),
      "        esac; fi ;;",
    ];
  });
  return [`    case ${first} in`, ...lines, "    esac"];
}

function fish(tree: readonly CommandWord[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const options = (condition: string, words: readonly string[]) =>
    words.map((word) => `complete -c nomos -n ${quote(condition)} -l ${word.replace(/^--/, "")}`);
  return [
    "# Completion of nomos for fish: nomos completion fish | source",
    ...tree.map(
      ({ word, summary }) => `complete -c nomos -f -n '__fish_use_subcommand' -a ${word} -d ${quote(summary)}`,
    ),
    ...tree.flatMap(({ word, options: own, next }) => {
      const seen = `__fish_seen_subcommand_from ${word}`;
      if (next.length === 0) return options(seen, own);
      const verbs = namesOf(next);
      return next.flatMap((inner) => [
        `complete -c nomos -f -n ${quote(`${seen}; and not __fish_seen_subcommand_from ${verbs}`)} -a ${inner.word} -d ${quote(inner.summary)}`,
        ...options(`${seen}; and __fish_seen_subcommand_from ${inner.word}`, inner.options),
      ]);
    }),
    "",
  ].join("\n");
}

function namesOf(words: readonly CommandWord[]): string {
  return words.map(({ word }) => word).join(" ");
}
