import type { Catalogue } from '@mortise/providers'
import type { NewId } from '../../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../../kernel/encryption/index.ts'
import { authorOf, endpoint, InvalidInput, ProjectPath, reply } from '../../../../../kernel/http/index.ts'
import { checkedPurpose } from '../checked-purpose.ts'
import { connectPagePath, connectSessionResource, keepConnectSession } from '../connect-session.ts'
import { ConnectSessionRequest, ConnectSessionWithUrl } from '../model.ts'

export const createConnectSession = endpoint({
  id: 'createConnectSession',
  method: 'POST',
  path: '/projects/{projectIdOrName}/connect-sessions',
  access: 'frontend',
  summary: 'Create a connect page, where a customer connects an account.',
  description:
    'The page asks for what the provider needs, for every authentication method, and shows errors until the account is connected. It is valid for half an hour and for one account. The same account (provider, group, consumer and workspace) is updated and keeps its id.',
  tag: 'Connections',
  extension: true,
  params: ProjectPath,
  body: ConnectSessionRequest,
  reply: { 201: ConnectSessionWithUrl },
  problems: [InvalidInput],
  run: async (
    { db, body, caller, confinedTo },
    services: { catalogue: Catalogue; keyring: Keyring; now: () => Date; newId: NewId; publicUrl: string },
  ) => {
    const purpose = await checkedPurpose(db, services, body, { askedBy: authorOf(caller), confinedTo })
    const { token, session } = await keepConnectSession(db, services, purpose)
    const url = `${services.publicUrl}${connectPagePath(token)}`
    return reply(201, { ...connectSessionResource(session), url })
  },
})
