import { Type } from 'typebox'
import {
  endpoint,
  FreeForm,
  named,
  Path,
  ProjectPath,
  Ref,
  reply,
  UnacceptableInput,
} from '../../../../kernel/http/index.ts'
import { ConfigContent, furtherOfPreview, planRead } from '../../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { CapabilityNotImplemented, providerProblems } from '../../../provider-calls/calls/index.ts'
import { previewRead } from '../preview.ts'
import type { ReadServices } from '../read-services.ts'

const free = (description: string) => Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description })

const PreviewRecord = named(
  'PreviewRecord',
  Type.Object(
    {
      id: Type.Optional(Type.String({ description: 'Id of the record at the provider, where it has one.' })),
      fields: free('Requested fields that are not mapped, by the provider’s names in lowercase.'),
      mappedFields: Type.Optional(free('Mapped fields, by the names that they are mapped to.')),
      raw: free('The record as the provider sent it.'),
      associations: Type.Optional(free('Linked records, by the field that reads them: lists of `{id}`.')),
    },
    { description: 'A record as messages would contain it.' },
  ),
)

const Preview = named(
  'Preview',
  Type.Object(
    {
      objectName: Type.String({ description: 'The provider’s name of the object.' }),
      records: Type.Array(PreviewRecord, { description: 'Five records at most, in the order of the provider.' }),
      isComplete: Type.Boolean({ description: 'Whether the account has no other records of this object.' }),
    },
    { description: 'The first records of an object, as messages would contain them.' },
  ),
)

const PreviewRequest = named(
  'PreviewRequest',
  Type.Object(
    {
      connectionId: Type.String({ minLength: 1, maxLength: 200, description: 'The account to read.' }),
      objectName: Type.String({ minLength: 1, maxLength: 512, description: 'The provider’s name of the object.' }),
      content: ConfigContent,
    },
    { description: 'What to read, with a config that is not stored.' },
  ),
)

export const previewRecords = endpoint({
  id: 'previewRecords',
  method: 'POST',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}:preview',
  access: 'frontendOperate',
  session: 'install',
  summary: 'Show a few records as an installation would deliver them.',
  description:
    'Reads up to five records of an object, with the config in the request. Mortise validates the config as for a new installation, and stores and delivers nothing. `Idempotency-Key` has no effect.',
  tag: 'Installations',
  extension: true,
  onlyReads: true,
  params: Path({ ...ProjectPath.properties, integrationId: Ref }),
  body: PreviewRequest,
  reply: { 200: Preview },
  problems: [IntegrationNotFound, UnacceptableInput, CapabilityNotImplemented, ...providerProblems],
  moreIssues: furtherOfPreview,
  run: async ({ db, params, body, confinedTo, signal }, services: ReadServices) => {
    const integration = await findIntegration(db, params.integrationId, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    const plan = await planRead(db, services, integration.content, body, confinedTo)
    const { entries, isComplete } = await previewRead(db, services, plan, signal)
    const records = entries.map((entry) => JSON.parse(entry))
    return reply(200, { objectName: plan.object.objectName, records, isComplete })
  },
})
