import { Type } from 'typebox'
import { Enum, endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { findIntegrationId } from '../../operations/index.ts'
import { countNames, TopInstallation } from '../model.ts'
import { listTop } from '../store.ts'
import { RangeQuery, rangeOf } from './range.ts'

const limitDefault = 20
/** The list sums what all installations have counted in the range. */
const daysMax = 31
const hoursMax = 48

export const listTopInstallations = endpoint({
  id: 'listTopInstallations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/counts:top',
  access: 'view',
  summary: 'List the installations with the highest counts.',
  description: `Highest first; installations with a count of zero are left out. The range is at most ${hoursMax} hours, or ${daysMax} days if the interval is a day.`,
  tag: 'Counts',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    by: Type.Optional(Enum([...countNames], { description: 'The count to sort by; `failedReads` by default.' })),
    interval: Type.Optional(Enum(['hour', 'day'], { description: 'Precision of the range; `hour` by default.' })),
    ...RangeQuery,
    integrationId: Type.Optional(Type.String({ maxLength: 512, description: 'Id of an integration, or its name.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: `Installations at most; ${limitDefault} by default.` }),
    ),
  }),
  reply: { 200: Type.Array(TopInstallation) },
  run: async ({ db, query }, { now }: { now: () => Date }) => {
    const { by = 'failedReads', interval = 'hour', limit = limitDefault } = query
    const range = rangeOf(query, interval, now(), interval === 'hour' ? hoursMax : daysMax)
    const integrationId =
      query.integrationId === undefined ? undefined : await findIntegrationId(db, query.integrationId)
    if (query.integrationId !== undefined && integrationId === undefined) return reply(200, [])
    return reply(200, await listTop(db, range, { by, integrationId, limit }))
  },
})
