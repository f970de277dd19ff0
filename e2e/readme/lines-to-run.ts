/** The commands in the bash blocks of a page, from the line that begins with `marker` on. */
export function linesToRun(page: string, marker: string): string[] {
  const from = page.indexOf(marker)
  if (from < 0) throw new Error(`the page has no line ${marker}`)
  const blocks = [...page.slice(from).matchAll(/^```bash\n(.*?)^```$/gms)].map((match) => match[1] ?? '')
  return blocks
    .join('')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
}
