import type { Endpoint } from './endpoint.ts'
import type { Problem } from './problem.ts'
import { BodyTooLarge } from './problems.ts'

/** Limits of bodies, in bytes. An endpoint that needs another one declares `bodyBytesMax`. */
export const bodyLimits = {
  /** Anybody may send these, so they hold no more than a form. */
  withoutCredential: 16 * 1024,
  withCredential: 1024 * 1024,
  /** Deploys, records and schemas. */
  large: 10 * 1024 * 1024,
}

/** Returns how many bytes of a body an endpoint accepts. */
export function bodyLimitOf({ access, bodyBytesMax }: Pick<Endpoint['declaration'], 'access' | 'bodyBytesMax'>) {
  return bodyBytesMax ?? (access === 'public' ? bodyLimits.withoutCredential : bodyLimits.withCredential)
}

/** Returns the problem of a body that is larger than `bytesMax`. */
export function bodyTooLarge(bytesMax: number, cause?: unknown): Problem {
  const megabyte = 1024 * 1024
  const size = bytesMax < megabyte ? `${Math.floor(bytesMax / 1024)} kB` : `${Math.floor(bytesMax / megabyte)} MB`
  return new BodyTooLarge({ detail: `This endpoint accepts bodies of up to ${size}.`, cause })
}
