import { Type } from 'typebox'
import type { NewId } from '../../../../kernel/db/index.ts'
import { authorOf, endpoint, InvalidInput, type Issue, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { insertJwtKey } from '../jwt-key-store.ts'
import { CreateJwtKeyRequest, jwtKeysMax } from '../model.ts'
import { TooManyKeys } from '../problems.ts'
import { readPublicKey } from '../public-key.ts'

export const createJWTKey = endpoint({
  id: 'createJWTKey',
  method: 'POST',
  path: '/projects/{projectIdOrName}/jwt-keys',
  access: 'develop',
  summary: 'Add a public key that verifies the tokens of your end users.',
  tag: 'JWT keys',
  params: ProjectPath,
  body: CreateJwtKeyRequest,
  reply: {
    201: Type.Object({ kid: Type.String({ description: 'Id of the key: the `kid` in the header of tokens.' }) }),
  },
  problems: [InvalidInput, TooManyKeys],
  run: async ({ db, body, caller }, { newId, pubsub }: { newId: NewId; pubsub: PubSub }) => {
    const label = body.label ?? body.name
    const read = readPublicKey(body.publicKeyPem)
    const issues: Issue[] = []
    if (label === undefined) issues.push({ in: 'body', name: 'label', detail: 'label is required.' })
    if ('fault' in read) issues.push({ in: 'body', name: 'publicKeyPem', ...read.fault })
    if ('fault' in read || label === undefined) throw new InvalidInput({ issues })
    const id = newId()
    const key = { id, label, publicKeyPem: read.pem, createdBy: authorOf(caller) }
    if (!(await insertJwtKey(db, key, jwtKeysMax))) throw new TooManyKeys()
    pubsub.notifyLocal(credentialsTopic, { table: 'jwt_keys', id })
    return reply(201, { kid: id })
  },
})
