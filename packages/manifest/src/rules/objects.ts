import type { CatalogueEntry } from '../catalogue.ts'
import { type Fields, readFields } from '../fields.ts'
import { nearest } from '../nearest.ts'
import type { RuleId } from '../rule-table.ts'
import { quote } from '../source/located.ts'
import { checkScopes } from './missing-scopes.ts'
import type { IntegrationScope } from './scope.ts'

interface ObjectsKind<T> {
  action: 'read' | 'write' | 'subscribe'
  known: readonly string[]
  missing: RuleId
  nameMissing: RuleId
  duplicate: RuleId
  read(scope: IntegrationScope, fields: Fields, objectName: string): T
}

/** The `objects` of an action: there are some, each has a name, no name stands twice. */
export function readObjects<T>(scope: IntegrationScope, action: Fields, kind: ObjectsKind<T>): { objects: T[] } {
  const { report, entry } = scope
  const list = action.list('objects')
  if (list === undefined ? !action.has('objects') : list.items.length === 0) {
    report(kind.missing, action.at('objects'), {
      message: `\`${kind.action}\` lists no objects.`,
      suggestion: `List at least one under \`objects\`, or remove \`${kind.action}\`.`,
    })
  }
  const seen = new Set<string>()
  const known = entry?.objects && new Set(entry.objects)
  const objects: T[] = []
  for (const item of list?.items ?? []) {
    const fields = readFields(report, item, kind.known)
    if (fields === undefined) continue
    const name = fields.requiredText('objectName', kind.nameMissing, `An object of \`${kind.action}\``)
    if (name !== '' && seen.has(name)) {
      report(kind.duplicate, fields.at('objectName'), {
        message: `The object ${quote(name)} appears twice under \`${kind.action}\`.`,
        suggestion: 'Merge the two, or remove one.',
        value: name,
      })
    } else if (name !== '' && known && !known.has(name)) {
      report('object-exists', fields.at('objectName'), {
        message: `The catalog has no object ${quote(name)} for ${scope.provider}.`,
        suggestion: 'Check the spelling against the documentation of the provider.',
        value: name,
      })
    } else if (kind.action === 'read' && entry?.onlyWritten?.includes(name)) {
      report('object-readable', fields.at('objectName'), {
        message: `The object ${quote(name)} of ${scope.provider} can be written but not read.`,
        suggestion: whatToRead(name, entry),
        value: name,
      })
    }
    checkScopes(scope, fields, kind.action, name)
    seen.add(name)
    objects.push(kind.read(scope, fields, name))
  }
  return { objects }
}

function whatToRead(name: string, { objects = [], onlyWritten = [] }: CatalogueEntry): string {
  const near = nearest(
    name,
    objects.filter((object) => !onlyWritten.includes(object)),
  )
  const move = 'Move it to `write`, or remove it.'
  return near === undefined ? move : `Read ${quote(near)} instead. ${move}`
}
