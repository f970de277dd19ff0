import type { IntegrationContent, IntegrationField, ReadObject } from '@mortise/manifest'
import { labelOf } from '../../integrations/integrations/index.ts'
import type { Described } from './describe-objects.ts'
import type { HydratedContent, HydratedField, HydratedObject } from './hydrated-model.ts'
import type { FieldMetadata, ObjectMetadata } from './model.ts'

/**
 * Content completed with what the provider says: names for people everywhere, and with `optionalFieldsAuto` the fields
 * that can be chosen one by one. Pure.
 *
 * @param described by object name; where it failed, the object says why and offers what the manifest names
 */
export function hydratedContent(
  content: IntegrationContent,
  described: ReadonlyMap<string, Described>,
): HydratedContent {
  const { name, provider, displayName, module, read, write, proxy } = content
  const metadataOf = (objectName: string) => {
    const found = described.get(objectName)
    return found && 'metadata' in found ? found.metadata : undefined
  }
  return {
    name,
    provider,
    ...(displayName !== undefined && { displayName }),
    ...(module !== undefined && { module }),
    ...(read && {
      read: { objects: read.objects.map((object) => hydratedObject(object, described.get(object.objectName))) },
    }),
    ...(write && {
      write: {
        objects: write.objects.map(({ objectName, valueDefaults }) => ({
          objectName,
          displayName: metadataOf(objectName)?.displayName ?? labelOf(objectName),
          ...(valueDefaults && { valueDefaults }),
        })),
      },
    }),
    ...(proxy && { proxy }),
  }
}

function hydratedObject(object: ReadObject, described: Described | undefined): HydratedObject {
  const metadata = described && 'metadata' in described ? described.metadata : undefined
  const error = described && 'failure' in described ? described.failure.problem.message : undefined
  const { objectName, destination, schedule, mapToName, mapToDisplayName, optionalFieldsAuto, backfill } = object
  const find = fieldFinder(metadata)
  const hydrated = (field: IntegrationField): HydratedField =>
    field.fieldName === undefined
      ? { ...field }
      : { ...field, displayName: find(field.fieldName)?.displayName ?? labelOf(field.fieldName) }
  const all = Object.values(metadata?.fields ?? {}).map(choice)
  const optional = (object.optionalFields ?? []).map(hydrated)
  const named = new Set(
    [...(object.requiredFields ?? []), ...optional].flatMap(({ fieldName }) =>
      fieldName === undefined ? [] : [(find(fieldName)?.fieldName ?? fieldName).toLowerCase()],
    ),
  )
  const others = optionalFieldsAuto === 'all' ? all.filter(({ fieldName }) => !named.has(fieldName.toLowerCase())) : []
  return {
    objectName,
    displayName: metadata?.displayName ?? labelOf(objectName),
    destination,
    ...(schedule !== undefined && { schedule }),
    ...(error !== undefined && { error }),
    ...(mapToName !== undefined && { mapToName }),
    ...(mapToDisplayName !== undefined && { mapToDisplayName }),
    ...(object.requiredFields && { requiredFields: object.requiredFields.map(hydrated) }),
    ...((object.optionalFields || optionalFieldsAuto) && { optionalFields: [...optional, ...others] }),
    ...(optionalFieldsAuto && { optionalFieldsAuto }),
    // Clients take the sources of mappings from `allFields`: it is always there.
    allFieldsMetadata: metadata?.fields ?? {},
    allFields: all,
    ...(backfill && { backfill }),
  }
}

function choice({ fieldName, displayName }: FieldMetadata) {
  return { fieldName, displayName }
}

/** Fields by the manifest's spelling: exactly, else whatever its upper and lower case. */
function fieldFinder(metadata: ObjectMetadata | undefined): (name: string) => FieldMetadata | undefined {
  const fields = Object.values(metadata?.fields ?? {})
  const exact = new Map(fields.map((field) => [field.fieldName, field]))
  const folded = new Map(fields.map((field) => [field.fieldName.toLowerCase(), field]))
  return (name) => exact.get(name) ?? folded.get(name.toLowerCase())
}
