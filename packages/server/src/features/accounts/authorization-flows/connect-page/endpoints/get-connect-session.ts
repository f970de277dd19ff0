import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../../kernel/http/index.ts'
import { connectSessionResource } from '../connect-session.ts'
import { findConnectSession } from '../connect-session-store.ts'
import { ConnectSession } from '../model.ts'
import { ConnectSessionNotFound } from '../problems.ts'

export const getConnectSession = endpoint({
  id: 'getConnectSession',
  method: 'GET',
  path: '/projects/{projectIdOrName}/connect-sessions/{connectSessionId}',
  access: 'frontendView',
  session: 'read',
  summary: 'Get the state of a page on which a customer connects an account.',
  tag: 'Connections',
  extension: true,
  params: Path({ ...ProjectPath.properties, connectSessionId: Ref }),
  reply: { 200: ConnectSession },
  problems: [ConnectSessionNotFound],
  run: async ({ db, params, confinedTo }, { now }: { now: () => Date }) => {
    const session = await findConnectSession(db, params.connectSessionId, now())
    // The token of a session shows that session only.
    const ownId = confinedTo?.session?.id
    const isTheirs =
      confinedTo === undefined ||
      ((ownId === undefined || session?.id === ownId) &&
        session?.group_ref === confinedTo.groupRef &&
        session.consumer_ref === confinedTo.consumerRef)
    if (!session || !isTheirs) throw new ConnectSessionNotFound()
    return reply(200, connectSessionResource(session))
  },
})
