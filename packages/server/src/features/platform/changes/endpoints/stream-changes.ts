import { Type } from 'typebox'
import type { NewId } from '../../../../kernel/db/index.ts'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { assertStreamSlot, type PubSub, streamOf, TooManyStreams } from '../../../../kernel/pubsub/index.ts'
import { changeEvents } from '../change-stream.ts'
import { Change } from '../model.ts'
import { changesTopic } from '../topic.ts'

export const streamChanges = endpoint({
  id: 'streamChanges',
  method: 'GET',
  path: '/projects/{projectIdOrName}/changes:stream',
  access: 'view',
  summary: 'Follow what changes in a project.',
  description:
    'Server-sent events: a `change` when something of the project was created, changed or deleted. It names the resource, but has none of its content. Changes are collected: a stream sends a few a second of each kind. It ends after an hour. A project can have 20 of them open on a node.',
  tag: 'Operations',
  extension: true,
  params: ProjectPath,
  reply: { 200: Type.Unsafe<string>({ ...Change, description: 'Events; `data` is as JSON what is shown here.' }) },
  produces: 'text/event-stream',
  problems: [TooManyStreams],
  run: async ({ db, signal }, services: { pubsub: PubSub; newId: NewId }) => {
    const { projectId } = db
    assertStreamSlot(services.pubsub, changesTopic(projectId))
    return reply(200, streamOf({ signal, source: changeEvents(services, { projectId, signal }) }))
  },
})
