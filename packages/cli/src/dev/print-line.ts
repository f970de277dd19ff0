import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

const widest = 'manifest'.length

/**
 * Prints lines of one of several programs that share the terminal, with its name in its color in front. Escapes control
 * characters, unless the text is `styled`: made here, with colors, from parts that are escaped already.
 */
export type PrintLine = (name: keyof typeof colours, text: string, options?: { styled: boolean }) => void

const colours = { service: 'cyan', crm: 'magenta', manifest: 'blue', messages: 'green', demo: 'yellow' } as const

export function createPrintLine({ stdout, out }: Terminal): PrintLine {
  return (name, text, { styled } = { styled: false }) => {
    const prefix = out[colours[name]](name.padEnd(widest))
    for (const line of text.replace(/(?<!\n)\n+$/, '').split('\n'))
      stdout.write(`${prefix} ${styled ? line : printable(line)}\n`)
  }
}
