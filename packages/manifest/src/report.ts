import type { Finding } from './finding.ts'
import { RULES, type RuleId } from './rule-table.ts'
import type { IsIgnored } from './source/ignore-directives.ts'
import type { SourceLocation } from './source/located.ts'

const FINDINGS_MAX = 100

export interface Detail {
  message: string
  suggestion?: string | undefined
  /** The offending value; anything but plain values is left out. */
  value?: unknown
}

/** Reports one finding; its level follows from the rule and from strictness. */
export type Report = (rule: RuleId, place: SourceLocation, detail: Detail) => void

export interface Findings {
  report: Report
  /** Silences advice from now on. */
  ignore(isIgnored: IsIgnored): void
  hasErrors(): boolean
  /** How many there were, listed or not. */
  total(): number
  /** At most 100, errors before advice where not all fit, in the order of the text. */
  list(): Finding[]
}

export function collectFindings(strict: boolean): Findings {
  const kept = { error: [] as Finding[], advice: [] as Finding[] }
  const counts = { error: 0, advice: 0 }
  let isIgnored: IsIgnored = () => false

  return {
    report(rule, place, { message, suggestion, value }) {
      const { level: ruleLevel } = RULES[rule]
      if (ruleLevel === 'advice' && isIgnored(rule, place.line)) return
      const level = ruleLevel === 'error' || (ruleLevel === 'strict' && strict) ? 'error' : 'advice'
      if (++counts[level] > FINDINGS_MAX) return
      const finding: Finding = { level, rule, path: place.path, line: place.line, column: place.column, message }
      if (suggestion !== undefined) finding.suggestion = suggestion
      if (typeof value === 'string')
        finding.value = value.length > 200 ? `${value.slice(0, 199).toWellFormed()}…` : value
      else if (typeof value === 'number' || typeof value === 'boolean') finding.value = value
      kept[level].push(finding)
    },
    ignore(next) {
      isIgnored = next
    },
    hasErrors: () => counts.error > 0,
    total: () => counts.error + counts.advice,
    list() {
      const total = counts.error + counts.advice
      const room = total > FINDINGS_MAX ? FINDINGS_MAX - 1 : FINDINGS_MAX
      const listed = [...kept.error, ...kept.advice].slice(0, room)
      listed.sort((a, b) => a.line - b.line || a.column - b.column)
      if (total > FINDINGS_MAX) {
        listed.push({
          level: 'advice',
          rule: 'findings-truncated',
          path: '$',
          line: 0,
          column: 0,
          message: `These are the first ${room} of ${total} findings (${counts.error} errors, ${counts.advice} advice).`,
          suggestion: 'Mend these and validate again.',
        })
      }
      return listed
    },
  }
}
