import { parseBracketPath } from '@mortise/manifest'
import { type Catalogue, declaredTypes, type ValueType } from '@mortise/providers'
import { sql } from 'kysely'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'
import {
  type EffectiveReadObject,
  effectiveReadObjects,
  findInstallations,
} from '../../integrations/installations/index.ts'
import type { FieldType, MessageObject } from '../../messaging/kinds/index.ts'

/**
 * Returns what is known of the types of fields in messages, without a request to a provider: what its file declares,
 * and what the last check of a watched schema found. A field with mapped values has none.
 */
export async function findFieldTypes(
  db: ProjectDb,
  { database, catalogue }: { database: Database; catalogue: Catalogue },
  objects: readonly MessageObject[],
): Promise<FieldType[]> {
  const { projectId } = db
  const ids = [...new Set(objects.map(({ installation }) => installation))]
  const found = await findInstallations(
    database.system,
    ids.map((id) => ({ projectId, id })),
  )
  const installations = new Map(found.map((installation) => [installation.id, installation]))
  const watched = await watchedTypes(db, ids)
  return objects.flatMap(({ installation: id, object: name }) => {
    const installation = installations.get(id)
    const read = installation && effectiveReadObjects(installation).get(name)
    const entry = installation && catalogue.find(installation.provider)
    if (installation === undefined || read === undefined) return []
    const declared = entry ? declaredTypes(entry, installation.module, name) : []
    return typesInMessages(read, [...declared, ...(watched.get(JSON.stringify([id, name])) ?? [])])
  })
}

interface WatchRow {
  installation_id: string
  object_name: string
  fields: { fieldName: string; valueType?: ValueType }[]
}

/** The types of the fields of watched objects, as they were checked last. */
async function watchedTypes(db: ProjectDb, installationIds: string[]): Promise<Map<string, [string, ValueType][]>> {
  const { rows } = await sql<WatchRow>`
    select installation_id, object_name, fields from schema_watches
     where project_id = ${db.projectId} and installation_id = any(${installationIds}::uuid[]) and fields is not null`.execute(
    db.sql,
  )
  return new Map(
    rows.map(({ installation_id: id, object_name: name, fields }) => [
      JSON.stringify([id, name]),
      fields.flatMap(({ fieldName, valueType }): [string, ValueType][] =>
        valueType === undefined ? [] : [[fieldName, valueType]],
      ),
    ]),
  )
}

/** The types by the names that fields have in messages. A later type of a field counts. */
function typesInMessages(read: EffectiveReadObject, types: readonly (readonly [string, ValueType])[]): FieldType[] {
  const byName = new Map(types.map(([name, type]) => [name.toLowerCase(), type]))
  const withMappedValues = new Set(Object.keys(read.valueMappings).map((name) => name.toLowerCase()))
  for (const name of withMappedValues) byName.delete(name)
  const mapped = read.mappings.flatMap(({ from, to }) => {
    const valueType = byName.get(from.toLowerCase())
    const path = parseBracketPath(to) ?? [to]
    // A longer path makes a field with others inside.
    return valueType === undefined || path.length !== 1 ? [] : [{ field: path[0] ?? to, valueType }]
  })
  const plain = read.fields === 'all' ? [...byName.keys()] : read.fields.map((name) => name.toLowerCase())
  const sources = new Set(read.mappings.map(({ from }) => from.toLowerCase()))
  return [
    ...mapped,
    ...plain.flatMap((field) => {
      const valueType = sources.has(field) ? undefined : byName.get(field)
      return valueType === undefined ? [] : [{ field, valueType }]
    }),
  ]
}
