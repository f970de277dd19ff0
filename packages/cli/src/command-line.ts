/**
 * Returns a command line of `mortise` to print, its words quoted for a shell: `mortise create destination 'my hook'
 * https://…`. `e2e/cli-next-steps.test.ts` runs what the commands print.
 */
export function commandLine(...words: string[]): string {
  return ['mortise', ...words.map(word)].join(' ')
}

/** One word of a shell. */
function word(text: string): string {
  return /^[\w@%+=:,./…-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`
}
