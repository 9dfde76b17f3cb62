/** Normal layouts use short indents and few blank lines; longer runs could push text off the screen. */
const SPACES_MIN = 17;
const BLANK_LINES_MIN = 3;
const REPEATED_MIN = 101;

/** Replaces long runs of blanks, empty lines or one character by their count, so that nothing can hide behind them. */
export function withoutRuns(text: string): string {
  return text
    .replace(BLANK_LINES, (run) => {
      const count = run.split("\n").length - 2;
      return count < BLANK_LINES_MIN ? run : `\n[${count} blank lines]\n`;
    })
    .replace(SPACES, (run) => (run.length < SPACES_MIN ? run : ` [${run.length} spaces] `))
    .replace(REPEATED, (run, one: string) => `${one}[${[...run].length} times]`);
}

/** U+2800 is a Braille pattern without dots: it looks like a space. */
const SPACES = /[\p{Zs}\t\u2800]{2,}/gu;
const BLANK_LINES = /\n(?:[\p{Zs}\t\u2800]*\n)+/gu;
const REPEATED = new RegExp(`(\\S)\\1{${REPEATED_MIN - 1},}`, "gu");
