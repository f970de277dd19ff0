import { isId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { deleteJwtKeyRow } from '../jwt-key-store.ts'
import { JwtKeyNotFound } from '../problems.ts'
import { jwtKeyPath } from './get-jwt-key.ts'

export const deleteJWTKey = endpoint({
  id: 'deleteJWTKey',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/jwt-keys/{keyId}',
  access: 'develop',
  summary: 'Delete a JWT key. Its tokens stop working.',
  tag: 'JWT keys',
  params: jwtKeyPath,
  reply: { 204: Empty },
  problems: [JwtKeyNotFound],
  run: async ({ db, params: { keyId } }, { pubsub }: { pubsub: PubSub }) => {
    if (!isId(keyId) || !(await deleteJwtKeyRow(db, keyId))) throw new JwtKeyNotFound()
    pubsub.notifyLocal(credentialsTopic, { table: 'jwt_keys', id: keyId })
    return reply(204, null)
  },
})
