import { Type } from 'typebox'
import { Enum, endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { findIntegrationId, listNamedInstallations } from '../../operations/index.ts'
import { CountSeries, seriesOf } from '../model.ts'
import { listCounts as listRows } from '../store.ts'
import { intervalsMax, RangeQuery, rangeOf } from './range.ts'

const text = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))

export const listCounts = endpoint({
  id: 'listCounts',
  method: 'GET',
  path: '/projects/{projectIdOrName}/counts',
  access: 'view',
  summary: 'Count what happened over time.',
  description: `Returns the counts of the project, or of what the filters select, by hour or by day. Intervals are in UTC, at most ${intervalsMax}. Nodes add counts every few seconds. The filters \`groupRef\` and \`installationId\` leave out deleted installations.`,
  tag: 'Counts',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    interval: Type.Optional(Enum(['hour', 'day'], { description: 'Length of an interval; `hour` by default.' })),
    ...RangeQuery,
    groupRef: text('Your id of a group.'),
    integrationId: text('Id of an integration, or its name.'),
    installationId: text('Id of an installation.'),
    objectName: text('The provider’s name of an object.'),
  }),
  reply: { 200: CountSeries },
  run: async ({ db, query }, { now }: { now: () => Date }) => {
    const { groupRef, integrationId: integration, installationId, objectName } = query
    const range = rangeOf(query, query.interval ?? 'hour', now())
    const integrationId = integration === undefined ? undefined : await findIntegrationId(db, integration)
    const installationIds = await listNamedInstallations(db, { groupRef, installationId })
    // A filter that selects nothing counts nothing.
    const isNothing = (integration !== undefined && integrationId === undefined) || installationIds?.length === 0
    const rows = isNothing ? [] : await listRows(db, range, { integrationId, objectName, installationIds })
    return reply(200, seriesOf(range, rows))
  },
})
