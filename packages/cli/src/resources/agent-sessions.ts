import type { Item } from '@mortise/client'
import { defined, resource, timeText } from './resource.ts'

export const agentSessions = resource<Item<'listAgentSessions'>>({
  name: 'agent-sessions',
  one: 'agent-session',
  columns: [
    ['Id', ({ id }) => id],
    ['Client', ({ clientName }) => clientName],
    ['Group', ({ groupRef }) => groupRef],
    ['Consumer', ({ consumerRef }) => consumerRef],
    ['Signed in', ({ createTime }) => timeText(createTime)],
    ['Refreshed', ({ refreshTime }) => timeText(refreshTime)],
    ['Expires', ({ expireTime }) => timeText(expireTime)],
  ],
  list: {
    takes: ['group', 'consumer'],
    rows: ({ mortise, signal, options: { group, consumer } }) => {
      const query = defined({ groupRef: group, consumerRef: consumer })
      return mortise.each('listAgentSessions', { query }, { signal })
    },
  },
  delete: { run: ({ mortise, signal }, agentSessionId) => mortise.deleteAgentSession({ agentSessionId }, { signal }) },
})
