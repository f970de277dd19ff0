import { kindOf, missingReferences, references, required, rows } from '../../scripts/asvs-table.ts'
import type { Attack } from './attack.ts'

/**
 * Counts the requirements of ASVS 5.0, levels 1 and 2, that `docs/security/asvs.md` answers by a test, by a reason, or
 * as a gap.
 */

export const attack: Attack = {
  id: 'S19',
  title: 'Every requirement of ASVS 5.0, levels 1 and 2, has a test or a reason.',
  async run() {
    const faults: string[] = []
    const counts = { tests: 0, reasons: 0, gaps: 0 }
    for (const { id } of required) {
      const answers = rows.filter((row) => row.id === id)
      const [answer] = answers
      if (!answer || answers.length > 1) {
        faults.push(`${id} has ${answers.length} rows.`)
        continue
      }
      const kind = kindOf(answer.shownBy)
      for (const { file, name } of missingReferences(answer.shownBy)) faults.push(`${id} names “${name}” of ${file}.`)
      if (kind === 'Gap') counts.gaps++
      else if (kind !== undefined) counts.reasons++
      else if (references(answer.shownBy).length > 0) counts.tests++
      else faults.push(`${id} has neither a test nor a reason.`)
    }
    const figures = { requirements: required.length, ...counts }
    return {
      passed: required.length === 253 && rows.length === required.length && counts.tests > counts.gaps,
      figures,
      faults,
    }
  },
}
