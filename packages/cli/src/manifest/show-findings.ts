import type { Finding } from '@mortise/manifest'
import { printable } from '../terminal/printable.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { ManifestFile } from './manifest-file.ts'

/** What a finding of any origin tells: of this command line, of the service, or of an issue of a refused deploy. */
export type ShownFinding = Omit<Finding, 'rule' | 'value'> & { rule: string; value?: unknown }

/** How many findings stop a deploy, and how many do not. */
export interface Counts {
  errors: number
  warnings: number
}

export function countFindings(findings: ShownFinding[]): Counts {
  const errors = findings.filter(({ level }) => level === 'error').length
  return { errors, warnings: findings.length - errors }
}

/**
 * Findings as a compiler shows them: `file:line:col severity rule message`, the line of the source with a caret below
 * the place, and what to do.
 *
 * @param colors of the stream that it is printed to
 */
export function findingsText(file: ManifestFile, findings: ShownFinding[], colors: Terminal['out']): string {
  const lines = file.text.split(/\r?\n/)
  return findings.map((finding) => findingText(file, lines[finding.line - 1], finding, colors)).join('')
}

/** `2 errors, 1 warning` */
export function countsText({ errors, warnings }: Counts): string {
  return `${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`
}

/** `error` or `warning`: advice is what a compiler calls a warning. */
export function severityOf({ level }: Pick<ShownFinding, 'level'>): 'error' | 'warning' {
  return level === 'error' ? 'error' : 'warning'
}

function findingText(
  { name }: ManifestFile,
  source: string | undefined,
  finding: ShownFinding,
  { bold, cyan, dim, red, yellow }: Terminal['out'],
): string {
  const { line, column, rule, message, suggestion } = finding
  const severity = severityOf(finding)
  const location = [name, ...(line > 0 ? [line, column] : [])].join(':')
  const coloured = (severity === 'error' ? red : yellow)(severity)
  const head = `${bold(printable(location))} ${coloured} ${dim(printable(rule))} ${printable(message)}\n`
  const excerpt = line > 0 && source !== undefined ? excerptOf(source, line, column) : undefined
  const shown = excerpt ? `${dim(excerpt.source)}\n${(severity === 'error' ? red : yellow)(excerpt.caret)}\n` : ''
  const advice = suggestion === undefined ? '' : `       ${cyan(printable(suggestion))}\n`
  return `${head}${shown}${advice}`
}

/** Room for the text of a line. */
const width = 100

/** The line with its number, cut to what is around the column, and a caret below the column. */
function excerptOf(line: string, number: number, column: number): { source: string; caret: string } {
  const at = Math.min(column - 1, line.length)
  const from = at < width - 20 ? 0 : at - 40
  const part = (start: number, end?: number) => oneCell(line.slice(start, end).toWellFormed())
  const before = `${from > 0 ? '…' : ''}${part(from, at)}`
  const after = `${part(at, from + width)}${line.length > from + width ? '…' : ''}`
  const gutter = String(number).padStart(6)
  return { source: `${gutter} | ${before}${after}`, caret: `       | ${' '.repeat(cells(before))}^` }
}

/** Text in which no character moves the cursor other than forwards. */
function oneCell(text: string): string {
  return text.replace(/\t/g, ' ').replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�')
}

/** Cells of a terminal that the text takes: wide characters take two, marks none. */
function cells(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
  let count = 0
  for (const character of text) count += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1
  return count
}
