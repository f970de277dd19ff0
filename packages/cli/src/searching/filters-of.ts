import type { Input } from '@mortise/client'
import { parseAssignment } from '../assignment.ts'
import { UsageError } from '../usage-error.ts'

type Filters = Input<'searchRecords'>['body']['fieldFilters']

/** Returns the filters of `--where`: `field=text`, or `field:=json` for a number, true or false. @throws UsageError */
export function filtersOf(assignments: readonly string[]): Filters {
  return assignments.map((assignment) => {
    const [fieldName, value] = parseAssignment(assignment, '--where')
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw new UsageError(`--where ${fieldName} takes a text, a number, true or false.`)
    return { fieldName, operator: 'eq', value }
  })
}
