import { type Format, printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { annotations } from './annotations.ts'
import { findingsData } from './findings-data.ts'
import type { ManifestFile } from './manifest-file.ts'
import { countFindings, countsText, findingsText, type ShownFinding } from './show-findings.ts'

/** Prints findings as the one thing that a command has to say, and their number. */
export function printFindings(
  terminal: Terminal,
  format: Format | 'github',
  file: ManifestFile,
  findings: ShownFinding[],
): void {
  const { stdout, out } = terminal
  if (format === 'json' || format === 'yaml') {
    printData(terminal, format, { valid: countFindings(findings).errors === 0, ...findingsData(file, findings) })
    return
  }
  stdout.write(format === 'github' ? annotations(file, findings) : findingsText(file, findings, out))
  printCounts(terminal, file, findings)
}

/** Prints findings in addition to the output of a command. */
export function mentionFindings(terminal: Terminal, file: ManifestFile, findings: ShownFinding[]): void {
  if (findings.length === 0) return
  terminal.stderr.write(findingsText(file, findings, terminal.err))
  printCounts(terminal, file, findings)
}

function printCounts({ stderr, err }: Terminal, file: ManifestFile, findings: ShownFinding[]): void {
  const counts = countFindings(findings)
  const sum = countsText(counts)
  if (counts.errors > 0) stderr.write(`${err.red(sum)}\n`)
  else if (counts.warnings > 0) stderr.write(`${err.yellow(sum)}\n`)
  else stderr.write(`${err.green('valid')}: ${file.name}\n`)
}
