import type { Catalogue } from '@mortise/providers'
import type { NewId } from '../../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../../kernel/encryption/index.ts'
import {
  assertRole,
  authorOf,
  endpoint,
  Forbidden,
  InvalidInput,
  ProjectPath,
  reply,
} from '../../../../../kernel/http/index.ts'
import { connectTokenPrefix } from '../../../../identity/access/index.ts'
import { checkedSession } from '../checked-session.ts'
import { connectPagePath, connectSessionResource, keepConnectSession } from '../connect-session.ts'
import { ConnectSessionRequest, ConnectSessionWithUrl } from '../model.ts'

export const createConnectSession = endpoint({
  id: 'createConnectSession',
  method: 'POST',
  path: '/projects/{projectIdOrName}/connect-sessions',
  access: 'frontendOperate',
  summary: 'Create a connect session: a page, and a token for components, for one customer.',
  description:
    'The page asks for what the provider needs, for every authentication method, and shows errors until the account is connected. It is valid for half an hour. With the purpose `connect`, it is valid for one account; other purposes need the role `developer` of people. The same account (provider, group, consumer and workspace) is updated and keeps its id.',
  tag: 'Connections',
  extension: true,
  params: ProjectPath,
  body: ConnectSessionRequest,
  reply: { 201: ConnectSessionWithUrl },
  problems: [InvalidInput, Forbidden],
  run: async (
    { db, body, caller, confinedTo },
    services: { catalogue: Catalogue; keyring: Keyring; now: () => Date; newId: NewId; publicUrl: string },
  ) => {
    // The token of such a session changes installations, or removes connections: it must not give more than the role.
    if ((body.purpose ?? 'connect') !== 'connect')
      assertRole(caller, 'developer', `A connect session with the purpose \`${body.purpose}\``)
    const wanted = await checkedSession(db, services, body, { askedBy: authorOf(caller), confinedTo })
    const { token, session } = await keepConnectSession(db, services, wanted)
    const url = `${services.publicUrl}${connectPagePath(token)}`
    return reply(201, { ...connectSessionResource(session), token: `${connectTokenPrefix}${token}`, url })
  },
})
