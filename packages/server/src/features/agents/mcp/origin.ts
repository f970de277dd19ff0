import { OriginRefused } from './problems.ts'

/**
 * Rejects requests of web pages of other origins, whatever host they name: a page could otherwise reach a service on
 * its reader's own network by a name that resolves to it (DNS rebinding). Programs send no `Origin`.
 *
 * @throws OriginRefused
 */
export function assertOrigin(origin: string | string[] | undefined, publicUrl: string): void {
  if (origin !== undefined && origin !== new URL(publicUrl).origin) throw new OriginRefused()
}
