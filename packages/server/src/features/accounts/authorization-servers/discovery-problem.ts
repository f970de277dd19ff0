import { AuthorizationNotDiscovered } from '@mortise/providers'
import { AuthorizationServerUnavailable, AuthorizationServerUnusable } from './problems.ts'

/** Returns the problem of an account that cannot be authorized; any other error as it is. */
export function discoveryProblem(cause: unknown): unknown {
  if (!(cause instanceof AuthorizationNotDiscovered)) return cause
  const Declared = cause.kind === 'unreachable' ? AuthorizationServerUnavailable : AuthorizationServerUnusable
  return new Declared({ detail: cause.message, cause })
}
