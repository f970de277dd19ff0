import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { checkPathId } from '../model.ts'
import { RouteNotFound } from '../problems.ts'
import { deleteTopicDestinationRouteRow } from '../store.ts'

export const deleteTopicDestinationRoute = endpoint({
  id: 'deleteTopicDestinationRoute',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/topic-destination-routes/{routeId}',
  access: 'develop',
  summary: 'Stop sending the events of a topic to a destination.',
  tag: 'Notifications',
  params: Path({ ...ProjectPath.properties, routeId: Ref }),
  reply: { 204: Empty },
  problems: [RouteNotFound],
  run: async ({ db, params: { routeId } }) => {
    checkPathId('routeId', routeId)
    if (!(await deleteTopicDestinationRouteRow(db, routeId))) throw new RouteNotFound()
    return reply(204, null)
  },
})
