import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { checkPathId } from '../model.ts'
import { RouteNotFound } from '../problems.ts'
import { deleteEventTopicRouteRow } from '../store.ts'

export const deleteEventTopicRoute = endpoint({
  id: 'deleteEventTopicRoute',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/notification-event-topic-routes/{routeId}',
  access: 'develop',
  summary: 'Stop routing events of one type to a topic.',
  tag: 'Notifications',
  params: Path({ ...ProjectPath.properties, routeId: Ref }),
  reply: { 204: Empty },
  problems: [RouteNotFound],
  run: async ({ db, params: { routeId } }) => {
    checkPathId('routeId', routeId)
    if (!(await deleteEventTopicRouteRow(db, routeId))) throw new RouteNotFound()
    return reply(204, null)
  },
})
