import { diffLines } from 'diff'
import { useMemo, useState } from 'react'
import { Button } from './button.tsx'

/** Equal lines around a change that stay; the others are folded. */
const around = 3

interface Line {
  sign: '+' | '-' | ' '
  text: string
}

const classOf = { '+': 'diff-added', '-': 'diff-removed', ' ': 'diff-equal' } as const

/** Two texts, line by line: what was removed and what was added. Loaded when a page needs it. */
export default function DiffView({ before, after }: { before: string; after: string }) {
  const [whole, setWhole] = useState(false)
  const lines = useMemo(() => linesOf(before, after), [before, after])
  const changed = lines.filter(({ sign }) => sign !== ' ').length
  if (changed === 0) return <p className="muted">Nothing differs.</p>
  const shown = whole ? lines.map((line) => ({ ...line, folded: 0 })) : folded(lines)
  return (
    <div className="diff">
      <div className="row small muted">
        {lines.filter(({ sign }) => sign === '+').length} added, {lines.filter(({ sign }) => sign === '-').length}{' '}
        removed
        <span className="grow" />
        <Button look="quiet" onClick={() => setWhole(!whole)}>
          {whole ? 'Changes only' : 'Show everything'}
        </Button>
      </div>
      <pre>
        {shown.map(({ sign, text, folded }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
          <span key={index} className={folded > 0 ? 'diff-fold' : classOf[sign]}>
            {folded > 0 ? `${folded} equal lines` : `${sign} ${text}`}
            {'\n'}
          </span>
        ))}
      </pre>
    </div>
  )
}

function linesOf(before: string, after: string): Line[] {
  return diffLines(before, after).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): Line => ({ sign: added ? '+' : removed ? '-' : ' ', text })),
  )
}

function folded(lines: Line[]): (Line & { folded: number })[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ sign }) => sign !== ' '),
  )
  const shown: (Line & { folded: number })[] = []
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1)
    if (near[index]) shown.push({ ...line, folded: 0 })
    else if (last && last.folded > 0) last.folded++
    else shown.push({ sign: ' ', text: '', folded: 1 })
  }
  return shown
}
