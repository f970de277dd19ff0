import { printable } from './print.ts'
import type { Terminal } from './terminal.ts'

/** A line that changes while something runs, and is removed at the end. Shown in interactive terminals only. */
export interface Progress {
  show(text: string): void
  /** Takes the line away; call it before anything else is printed. */
  end(): void
}

export function createProgress({ stderr, interactive }: Pick<Terminal, 'stderr' | 'interactive'>): Progress {
  let shown = ''
  const write = (text: string) => {
    // Back to the beginning of the line, which is cleared.
    if (interactive && text !== shown) stderr.write(`\r\u001b[2K${text}`)
    shown = text
  }
  const width = () => ((stderr as { columns?: number }).columns || 80) - 1
  return {
    // A longer text would take a second line, which is not cleared.
    show: (text) => write(printable(text).slice(0, width())),
    end: () => {
      if (shown !== '') write('')
    },
  }
}

const cells = 24

/** A bar, where it is known how much there is. */
export function bar(done: number, total: number | undefined): string {
  if (!total) return ''
  const full = Math.min(cells, Math.round((done / total) * cells))
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)} `
}
