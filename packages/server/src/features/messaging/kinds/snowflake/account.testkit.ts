import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import type { TargetRequest } from '../http-target.testkit.ts'

const { privateKey: key, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
export const privateKey = String(key.export({ type: 'pkcs8', format: 'pem' }))
const publicDer = publicKey.export({ type: 'spki', format: 'der' })
export const secret = privateKey.split('\n')[3] ?? ''
/** An error as Snowflake answers it. */
export const problem = (status: number, code: string, sqlState: string) => ({
  status,
  body: JSON.stringify({ code, sqlState, message: 'It failed.', statementHandle: 'e4ce975e' }),
})

export interface Statement {
  statement: string
  timeout: number
  bindings: Record<string, { type: string; value: string }>
}

/** Whether the user's key signed the token of a request. */
export async function isAuthorized({ headers }: TargetRequest): Promise<boolean> {
  const token = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? ''
  const subject = 'MYORG-ACCOUNT_1.MORTISE'
  const issuer = `${subject}.SHA256:${createHash('sha256').update(publicDer).digest('base64')}`
  const found = await jwtVerify(token, createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), {
    issuer,
    subject,
    algorithms: ['RS256'],
  }).catch(() => undefined)
  return found !== undefined && headers['x-snowflake-authorization-token-type'] === 'KEYPAIR_JWT'
}
