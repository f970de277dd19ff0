import type { Fields } from '../fields.ts'
import type { Deletions } from '../manifest.ts'
import { quote } from '../source/located.ts'
import type { IntegrationScope } from './scope.ts'

/** `deletions` of a read object. */
export function readDeletions(scope: IntegrationScope, object: Fields, objectName: string): Deletions | undefined {
  const { report, entry } = scope
  const deletions = object.map('deletions', ['enabled'])
  if (deletions === undefined) return undefined
  const enabled = deletions.oneOf('enabled', ['always'], 'read-deletions-enabled')
  if (!deletions.has('enabled')) {
    report('read-deletions-enabled', object.at('deletions'), {
      message: '`deletions` does not say what to deliver.',
      suggestion: 'Write `enabled: always`, or remove `deletions`.',
    })
  }
  const reports = entry?.reportsDeletions ?? []
  if (entry?.implemented.read === true && !reports.includes(objectName) && !reports.includes('*')) {
    report('read-deletions-reported', object.at('deletions'), {
      message: `${scope.provider} does not report deleted records of ${quote(objectName)}.`,
      suggestion: 'Remove `deletions`.',
      value: objectName,
    })
  }
  return enabled && { enabled }
}
