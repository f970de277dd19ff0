import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { jwtKeyResource } from '../jwt-key-resource.ts'
import { findJwtKey } from '../jwt-key-store.ts'
import { JwtKey } from '../model.ts'
import { JwtKeyNotFound } from '../problems.ts'

export const jwtKeyPath = Path({ projectIdOrName: Ref, keyId: Ref })

export const getJWTKey = endpoint({
  id: 'getJWTKey',
  method: 'GET',
  path: '/projects/{projectIdOrName}/jwt-keys/{keyId}',
  access: 'view',
  summary: 'Get a JWT key.',
  tag: 'JWT keys',
  params: jwtKeyPath,
  reply: { 200: JwtKey },
  problems: [JwtKeyNotFound],
  run: async ({ db, params: { keyId } }) => {
    const row = isId(keyId) ? await findJwtKey(db, keyId) : undefined
    if (!row) throw new JwtKeyNotFound()
    return reply(200, jwtKeyResource(row))
  },
})
