/** Draws the colored output of a terminal as an SVG that needs no font of its own and no script. */

const charWidth = 7.8
const lineHeight = 18
const padding = 20
const barHeight = 34

const esc = '\u001b'
const sequence = new RegExp(`(${esc}\\[[\\d;?]*[a-zA-Z])`)

/** Colors by the codes of ANSI; 1 is bold. */
const colors: Record<string, string> = { 32: '#5fd38d', 36: '#6cc5e8', 90: '#6b7685' }

export function terminalSvg(title: string, lines: string[]): string {
  const columns = Math.max(...lines.map((line) => [...plain(line)].length))
  const width = Math.ceil(columns * charWidth + 2 * padding)
  const height = barHeight + lines.length * lineHeight + padding
  const rows = lines.flatMap((line, row) => spans(line, barHeight + (row + 1) * lineHeight))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="#151a21"/>
<g fill="#d7dde5" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
<text x="${padding}" y="22" fill="#6b7685">$ ${escaped(title)}</text>
${rows.join('\n')}
</g>
</svg>
`
}

/** Returns a text element for each run of one style. Its length is fixed, so that columns align in any font. */
function spans(line: string, y: number): string[] {
  const drawn: string[] = []
  let column = 0
  let color = ''
  let bold = false
  for (const part of line.split(sequence)) {
    const code = part.startsWith(esc) ? part.slice(2, -1) : undefined
    if (code !== undefined) {
      if (code === '1') bold = true
      else if (code === '22' || code === '0') bold = false
      if (code === '39' || code === '0') color = ''
      else if (code in colors) color = colors[code] ?? ''
    } else {
      const text = part.trim().replaceAll(' ', '\u00a0')
      if (text !== '') {
        const style = `${color === '' ? '' : ` fill="${color}"`}${bold ? ' font-weight="bold"' : ''}`
        const x = padding + (column + part.length - part.trimStart().length) * charWidth
        const at = `x="${round(x)}" y="${y}" textLength="${round([...text].length * charWidth)}"`
        drawn.push(`<text ${at}${style}>${escaped(text)}</text>`)
      }
      column += [...part].length
    }
  }
  return drawn
}

function plain(line: string): string {
  return line
    .split(sequence)
    .filter((_, index) => index % 2 === 0)
    .join('')
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
