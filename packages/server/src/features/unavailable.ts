import { Type } from 'typebox'
import { Empty, NotImplemented, type Operation, operation, Ref } from '../kernel/http/index.ts'

/**
 * Operations of the interface whose engine this release does not have. Each answers 501 by its name to whoever may call it, and
 * stands in no document. The first part that works takes its line out of here.
 */
interface Unavailable {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  access: 'frontend' | 'full'
  projectIn?: 'body' | 'header'
}

const project = '/projects/{projectIdOrName}'
const integration = `${project}/integrations/{integrationId}`
const unavailable: Unavailable[] = []

export const unavailableOperations = unavailable.map(({ id, method, path, access, projectIn }) => {
  const [name] = id.split(':')
  return operation({
    id,
    method,
    path,
    access,
    summary: 'Not part of this release.',
    tag: 'Not part of this release',
    ...(projectIn && { projectIn }),
    // Of a body nothing but the project is looked at; where that is not in it, it may be of whatever media type.
    ...(projectIn === 'body'
      ? { body: Type.Object({ projectIdOrName: Ref }) }
      : { accepts: 'binary' as const, body: undefined }),
    reply: { 204: Empty },
    problems: [NotImplemented],
    run: async () => {
      throw new NotImplemented({
        detail: `${name} belongs to the interface, but this release does not have it yet.`,
        context: { operation: name },
      })
    },
  })
}) as unknown as Operation[]
