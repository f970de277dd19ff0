/** Pieces of Markdown, with what means something to it escaped. */

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

export function link(text: string, url: string): string {
  return `[${text}](${url.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll(' ', '%20')})`
}

export function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
