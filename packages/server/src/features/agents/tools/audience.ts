import { Unauthenticated } from '../../../kernel/http/index.ts'

/**
 * Rejects a token that was made for another service: its claim `aud` names none of the addresses of Mortise. A token
 * without the claim is for Mortise, because only the holder of a JWT key of the project can sign one. The token has
 * been verified.
 *
 * @throws Unauthenticated
 */
export function assertAudience(authorization: string | string[] | undefined, publicUrl: string): void {
  const token = /^Bearer +[\w-]+\.([\w-]+)\.[\w-]+$/i.exec(authorization?.toString() ?? '')?.[1]
  if (token === undefined) return
  const { aud } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as { aud?: unknown }
  if (aud === undefined) return
  const named: unknown[] = Array.isArray(aud) ? aud : [aud]
  const isOurs = named.some((one) => typeof one === 'string' && (one === publicUrl || one.startsWith(`${publicUrl}/`)))
  if (!isOurs)
    throw new Unauthenticated({
      detail: 'The token is for another audience (`aud`).',
      remedy: 'Sign a token without `aud`, or with the address of Mortise.',
    })
}
