import type { Connector } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import { askProvider } from './ask-provider.ts'
import type { DescribeServices, MetadataTarget } from './describe-objects.ts'
import { metadataCacheOf, metadataKey } from './metadata-cache.ts'
import type { FieldDefinition, UpsertMetadataRequest, UpsertMetadataResponse } from './upsert-model.ts'

/** Each field takes a request or two, one after the other. */
const fieldsMax = 100
const mostMs = 60_000

/**
 * Creates and changes fields in an account. If the provider refuses a field, its result says so. If the whole request
 * fails, fields that were already created stay; the same request finds them again.
 *
 * @param nameOf returns the provider's name of an object as the caller names it
 * @throws InvalidInput before the first request, if the provider does not support the fields
 */
export async function upsertFields(
  db: ProjectDb,
  services: DescribeServices,
  target: MetadataTarget,
  { fields }: Pick<UpsertMetadataRequest, 'fields'>,
  signal: AbortSignal,
  nameOf: (object: string) => string = (object) => object,
): Promise<UpsertMetadataResponse> {
  const wanted = Object.entries(fields).filter(([, definitions]) => definitions.length > 0)
  const issues = requestIssues(wanted)
  if (issues.length > 0) throw new InvalidInput({ issues })
  const cache = metadataCacheOf(services.catalogue.version)
  let success = true
  const answered: [string, UpsertMetadataResponse['fields'][string]][] = []
  await askProvider(
    db,
    services,
    target,
    signal,
    async (connector, deadline, connection) => {
      const refused = providerIssues(connector, connection.provider, wanted, nameOf)
      if (refused.length > 0) throw new InvalidInput({ issues: refused })
      for (const [object, definitions] of wanted) {
        const name = nameOf(object)
        try {
          const done = await connector.upsertFields(name, definitions, { signal: deadline })
          success &&= done.every((field) => field.success)
          // The caller chooses the names, so `__proto__` may be one: define them, never assign them.
          answered.push([object, Object.fromEntries(done.map((field) => [field.fieldName, resultOf(field)]))])
        } finally {
          cache.delete(metadataKey(connection, target.module, name))
        }
      }
    },
    { mostMs },
  )
  return { success, fields: Object.fromEntries(answered) }
}

function resultOf({ fieldName, action, metadata, warnings }: Awaited<ReturnType<Connector['upsertFields']>>[number]) {
  return { fieldName, action, ...(metadata && { metadata }), ...(warnings.length > 0 && { warnings: [...warnings] }) }
}

type Wanted = readonly [object: string, definitions: readonly FieldDefinition[]][]

function requestIssues(wanted: Wanted): Issue[] {
  const count = wanted.reduce((sum, [, definitions]) => sum + definitions.length, 0)
  if (count === 0) return [{ in: 'body', name: 'fields', detail: 'The request names no field.' }]
  if (count > fieldsMax)
    return [
      {
        in: 'body',
        name: 'fields',
        detail: `The request has ${count} fields. The maximum is ${fieldsMax}.`,
        remedy: 'Send several requests, one after the other.',
      },
    ]
  return wanted.flatMap(([object, definitions]) => {
    const seen = new Set<string>()
    return definitions.flatMap(({ fieldName }, at) => {
      const known = seen.has(fieldName.toLowerCase())
      seen.add(fieldName.toLowerCase())
      const name = `fields.${object}[${at}].fieldName`
      return known
        ? [{ in: 'body' as const, name, value: fieldName, detail: 'The request names the field twice.' }]
        : []
    })
  })
}

/** Returns an issue for everything that the provider's connector does not support. */
function providerIssues(
  connector: Connector,
  provider: string,
  wanted: Wanted,
  nameOf: (object: string) => string,
): Issue[] {
  return wanted.flatMap(([object, definitions]): Issue[] => {
    const name = nameOf(object)
    if (!connector.hasObject(name))
      return [
        { in: 'body', name: `fields.${object}`, detail: `${provider} has no object ${JSON.stringify(name)} here.` },
      ]
    const types = connector.definableTypes(name)
    if (types.length === 0)
      return [
        {
          in: 'body',
          name: `fields.${object}`,
          detail: `Fields of ${name} cannot be made at ${provider} from here.`,
          remedy: 'Have them made at the provider.',
        },
      ]
    return definitions.flatMap(({ valueType }, at) =>
      types.includes(valueType)
        ? []
        : [
            {
              in: 'body' as const,
              name: `fields.${object}[${at}].valueType`,
              value: valueType,
              detail: `Fields of this type cannot be made at ${provider}.`,
              remedy: `Use one of: ${types.join(', ')}.`,
            },
          ],
    )
  })
}
