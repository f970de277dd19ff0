import type { ManifestFile } from './manifest-file.ts'
import { countFindings, type ShownFinding, severityOf } from './show-findings.ts'

/** Findings for programs. */
export function findingsData(file: ManifestFile, findings: ShownFinding[]) {
  const rows = findings.map(({ level, ...finding }) => ({
    file: file.name,
    severity: severityOf({ level }),
    ...finding,
  }))
  return { ...countFindings(findings), findings: rows }
}
