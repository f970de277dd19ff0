import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { jwtKeyResource } from '../jwt-key-resource.ts'
import { updateJwtKeyRow } from '../jwt-key-store.ts'
import { JwtKey, JwtKeyUpdate, labelIssues, maskIssues, missingValues } from '../model.ts'
import { JwtKeyNotFound } from '../problems.ts'
import { jwtKeyPath } from './get-jwt-key.ts'

export const updateJWTKey = endpoint({
  id: 'updateJWTKey',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/jwt-keys/{keyId}',
  access: 'develop',
  summary: 'Change the label of a JWT key, or deactivate it.',
  description: 'Takes effect immediately on the node that responds, and within five seconds on every other.',
  tag: 'JWT keys',
  params: jwtKeyPath,
  body: JwtKeyUpdate,
  reply: { 200: JwtKey },
  problems: [JwtKeyNotFound, InvalidInput, UnacceptableInput],
  run: async ({ db, params: { keyId }, body }, { pubsub }: { pubsub: PubSub }) => {
    const values = maskedValues(body)
    const row = isId(keyId) ? await updateJwtKeyRow(db, keyId, values) : undefined
    if (!row) throw new JwtKeyNotFound()
    pubsub.notifyLocal(credentialsTopic, { table: 'jwt_keys', id: keyId })
    return reply(200, jwtKeyResource(row))
  },
})

/** @throws InvalidInput, UnacceptableInput */
function maskedValues({ updateMask, jwtKey }: JwtKeyUpdate): {
  label?: string | undefined
  active?: boolean | undefined
} {
  const wrongMasks = maskIssues(updateMask, ['active', 'label', 'name'])
  if (wrongMasks.length > 0)
    throw new InvalidInput({ issues: wrongMasks.map((issue) => ({ ...issue, remedy: 'List only active, label.' })) })
  const mask = updateMask.map((path) => (path === 'name' ? 'label' : path))
  const label = jwtKey.label ?? jwtKey.name
  const missing = missingValues(mask, 'jwtKey', { active: jwtKey.active, label })
  if (missing.length > 0) throw new UnacceptableInput({ issues: missing })
  const values = {
    label: mask.includes('label') ? label : undefined,
    active: mask.includes('active') ? jwtKey.active : undefined,
  }
  const issues = values.label === undefined ? [] : labelIssues(values.label, 'jwtKey.label')
  if (issues.length > 0) throw new InvalidInput({ issues })
  return values
}
