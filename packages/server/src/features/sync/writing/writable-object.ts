import type { Connector } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'
import type { InstallationRecord, WriteConfigObject } from '../../integrations/installations/index.ts'
import { fieldRules } from './field-rules.ts'
import { forwardedHeaders } from './forwarded-headers.ts'
import type { PreparedRecord, PreparedWrite, WriteRequest } from './model.ts'
import { idOf, recordsOf } from './request-issues.ts'
import { unsentFields } from './unsent-fields.ts'
import { inheritedMapping, noMapping, providerRecord, unmappedNames, type WriteMapping } from './write-mapping.ts'

/** An object that an installation writes. */
export interface WritableObject {
  /** The provider's name. */
  objectName: string
  config: WriteConfigObject
  mapping: WriteMapping
}

/**
 * Returns the object by the manifest's name, or by the mapped name where it inherits a mapping. Returns an issue if
 * there is none.
 */
export function writableObject(installation: InstallationRecord, name: string): WritableObject | Issue {
  const refuse = (detail: string, remedy: string): Issue => ({
    in: 'path',
    name: 'objectName',
    value: name,
    detail,
    remedy,
  })
  const declared = installation.integration.write?.objects ?? []
  const reads = installation.integration.read?.objects ?? []
  const mappedName = (objectName: string) => reads.find((object) => object.objectName === objectName)?.mapToName
  const found =
    declared.find(({ objectName }) => objectName === name) ??
    declared.find(({ objectName, inheritMapping }) => inheritMapping === true && mappedName(objectName) === name)
  if (!found)
    return refuse('The integration writes no object of this name.', 'Add it to `write` in the manifest, and deploy.')
  const { objectName, inheritMapping } = found
  const configs = installation.content.write?.objects ?? {}
  const config = Object.hasOwn(configs, objectName) ? configs[objectName] : undefined
  if (!config)
    return refuse('The installation writes no object of this name.', 'Add it to `write.objects` in its config.')
  return { objectName, config, mapping: inheritMapping ? inheritedMapping(installation, objectName) : noMapping }
}

/**
 * Converts the records of a request to what the provider receives. Returns issues where the config does not allow it.
 */
export function prepareWrite(
  { objectName, config, mapping }: WritableObject,
  connector: Pick<Connector, 'canFetch' | 'unsentFields'>,
  body: WriteRequest,
  { strict }: { strict: boolean },
): PreparedWrite | Issue[] {
  const { type, batch, batchPolicy, headers = [] } = body
  if (type === 'delete' && config.deletionSettings?.enabled !== true)
    return [
      {
        in: 'body',
        name: 'type',
        value: type,
        detail: `The installation does not allow ${objectName} to be deleted.`,
        remedy: 'Set `deletionSettings.enabled` of the object to true in the config.',
      },
    ]
  const applyRules = fieldRules(config, mapping, type)
  const leftOut: string[] = []
  const records = recordsOf(body).map(([, item]): PreparedRecord => {
    const { id: _, ...sent } = item.record
    const record = type === 'delete' ? {} : providerRecord(mapping, type === 'create' ? item.record : sent)
    const { ifEmpty, dropped } = applyRules(record)
    if (type !== 'delete')
      for (const name of unmappedNames(mapping, item.record))
        leftOut.push(`${name} is left out: it is mapped to no field.`)
    for (const name of dropped) leftOut.push(`${name} is left out: the config does not let a ${type} write it.`)
    const id = type === 'create' ? undefined : idOf(item.record)
    return {
      ...(id !== undefined && { id }),
      record,
      ...(ifEmpty.length > 0 && { ifEmpty }),
      ...(item.associations && { associations: item.associations }),
    }
  })
  if (records.some(({ ifEmpty }) => ifEmpty) && !connector.canFetch(objectName))
    return [
      {
        in: 'path',
        name: 'objectName',
        value: objectName,
        detail: 'The config has fields written only where they are empty, and the connector cannot look.',
        remedy: 'Set `writeOnUpdate` of these fields to always or never in the config.',
      },
    ]
  const unsent = unsentFields(connector, { objectName, mapping }, body, records)
  if (strict && unsent.issues.length > 0) return unsent.issues
  return {
    objectName,
    type,
    batch: batch !== undefined,
    allOrNone: batch !== undefined && batchPolicy?.allOrNone === true,
    ...(headers.length > 0 && { headers: forwardedHeaders(headers) }),
    records,
    leftOut,
    unsent: unsent.warnings,
  }
}
