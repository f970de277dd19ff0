import type { ManifestFile } from './manifest-file.ts'
import { type ShownFinding, severityOf } from './show-findings.ts'

/** Findings as workflow commands of GitHub Actions, which shows them at the lines of a pull request. */
export function annotations({ name }: ManifestFile, findings: ShownFinding[]): string {
  return findings
    .map((finding) => {
      const { line, column, rule, message, suggestion } = finding
      const position = line > 0 ? `,line=${line},col=${column}` : ''
      const text = suggestion === undefined ? message : `${message}\n${suggestion}`
      return `::${severityOf(finding)} file=${property(name)}${position},title=${property(rule)}::${data(text)}\n`
    })
    .join('')
}

/** How the runner escapes: `escapeData` of @actions/core. */
function data(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}
