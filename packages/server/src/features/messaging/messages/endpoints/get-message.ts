import { isId } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { withOwners } from '../../../platform/operations/index.ts'
import { asJson } from '../as-json.ts'
import { findMessage } from '../message-list-store.ts'
import { MessageWithPayload } from '../message-model.ts'
import { outgoingBody } from '../outgoing.ts'
import { MessageNotFound } from '../problems.ts'

export const getMessage = endpoint({
  id: 'getMessage',
  method: 'GET',
  path: '/projects/{projectIdOrName}/messages/{messageId}',
  access: 'view',
  summary: 'Get a message with its payload.',
  tag: 'Messages',
  extension: true,
  params: Path({ ...ProjectPath.properties, messageId: Ref }),
  reply: { 200: MessageWithPayload },
  problems: [MessageNotFound],
  run: async ({ db, params }, services: { keyring: Keyring; publicUrl: string; now: () => Date }) => {
    const found = isId(params.messageId) ? await findMessage(db, params.messageId) : undefined
    if (!found) throw new MessageNotFound()
    const { message, ...kept } = found
    const body = outgoingBody(services, db.projectId, { id: message.id, ...kept }, services.now())
    const [owned = message] = await withOwners(db, [message])
    return reply(200, { ...owned, payload: asJson(body.toString('utf8')) })
  },
})
