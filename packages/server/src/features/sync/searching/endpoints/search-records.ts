import { FieldsNotSearchable } from '@mortise/providers'
import { Type } from 'typebox'
import { endpoint, InvalidInput, type Issue, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import {
  effectiveReadObjects,
  findInstallationOfGroup,
  type InstallationRecord,
  overlay,
} from '../../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { CapabilityNotImplemented, providerProblems } from '../../../provider-calls/calls/index.ts'
import type { DescribeServices } from '../../../provider-calls/object-metadata/index.ts'
import { recordEntry, wantedFields } from '../../reading/index.ts'
import { SearchRequest, SearchResponse } from '../model.ts'
import { providerFilters } from '../provider-filters.ts'
import { searchLive } from '../search-live.ts'
import { unknownFields } from '../unknown-fields.ts'
import { unsearchableFields } from '../unsearchable-fields.ts'

export const searchRecords = endpoint({
  id: 'searchRecords',
  method: 'POST',
  path: '//search/v1/projects/{projectIdOrName}/integrations/{integrationId}',
  access: 'operate',
  summary: 'Search records of an object in a group’s account.',
  description:
    'Queries the provider live for records whose fields have these values, and returns its first page. The object must be under `read` in the manifest. Records have the same fields and names as in messages.',
  tag: 'Search',
  audit: { exempt: 'reads at the provider' },
  params: Path({ projectIdOrName: Ref, integrationId: Ref }),
  query: Type.Object({ groupRef: Type.String({ minLength: 1, description: 'The group whose account to use.' }) }),
  body: SearchRequest,
  reply: { 200: SearchResponse },
  problems: [InvalidInput, IntegrationNotFound, CapabilityNotImplemented, ...providerProblems],
  run: async ({ db, params, query, body, signal }, services: DescribeServices) => {
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const installation = await findInstallationOfGroup(db, integration.id, query.groupRef)
    if (!installation)
      throw new InvalidInput({
        issues: [
          {
            in: 'query',
            name: 'groupRef',
            value: query.groupRef,
            detail: 'This group has no installation of the integration.',
            remedy: 'Install the integration for the group first.',
          },
        ],
      })
    const object = readableObject(installation, body.objectName)
    const filters = providerFilters(body.fieldFilters, object)
    const question = { objectName: object.objectName, fields: wantedFields(object), filters }
    const found = await searchLive(db, services, installation, question, signal)
    if (found === 'cannot search')
      throw refusal(body.objectName, {
        detail: `Objects of this name cannot be searched at ${installation.provider}.`,
        remedy: 'Read the object, and search what is delivered.',
      })
    if (found instanceof FieldsNotSearchable)
      throw new InvalidInput({ issues: unsearchableFields(found, body.fieldFilters, object), cause: found })
    const { records } = found
    const unknown = records.length === 0 && (await unknownFields(db, services, installation, object, filters, signal))
    if (unknown)
      throw new InvalidInput({ issues: unsearchableFields({ ...unknown, exists: false }, body.fieldFilters, object) })
    const entry = recordEntry(object)
    const results = records.map((record) => ({
      ...(record.id !== undefined && { id: record.id }),
      mappedFields: {},
      ...(JSON.parse(entry(record)) as { fields: Record<string, unknown>; raw: Record<string, unknown> }),
    }))
    return reply(200, { results, result: results })
  },
})

/** The object as the installation reads it, or as the manifest alone declares it. @throws InvalidInput */
function readableObject(installation: InstallationRecord, name: string) {
  const definitions = [...(installation.integration.read?.objects ?? []), ...installation.removedReadObjects]
  const definition =
    definitions.find(({ objectName }) => objectName === name) ?? definitions.find(({ mapToName }) => mapToName === name)
  if (!definition)
    throw refusal(name, {
      detail: 'The integration reads no object of this name.',
      remedy: 'Name an object that the manifest declares under `read`.',
    })
  const object = effectiveReadObjects(installation).get(definition.objectName) ?? overlay(definition, {})
  if (object.disabled)
    throw refusal(name, {
      detail: 'The config of the installation disables this object.',
      remedy: 'Set `disabled` to false in the config first.',
    })
  return object
}

function refusal(value: string, issue: Pick<Issue, 'detail' | 'remedy'>): Error {
  return new InvalidInput({ issues: [{ in: 'body', name: 'objectName', value, ...issue }] })
}
