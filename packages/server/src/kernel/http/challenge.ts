import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CallerCheck } from './caller-check.ts'
import type { Endpoint } from './endpoint.ts'
import { Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where clients read how to sign in (RFC 9728), for the header `WWW-Authenticate`. */
    resourceMetadata: string | undefined
  }
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/**
 * Returns a handler whose 401 names the metadata of the endpoint. Finding it asks the database, so these requests are
 * counted by the address of the client.
 */
export function challenging<S>(
  { declaration }: Endpoint<S>,
  { services, checkCaller }: { services: S; checkCaller: Pick<CallerCheck, 'anybody'> },
  handle: Handle,
): Handle {
  const { agentSignIn } = declaration
  if (!agentSignIn) return handle
  return async (request, reply) => {
    try {
      return await handle(request, reply)
    } catch (error) {
      if (error instanceof Problem && error.declaration.status === 401) {
        checkCaller.anybody(request, reply, 'endpoint')
        request.resourceMetadata = await agentSignIn.metadata(request.params as { projectIdOrName: string }, services)
      }
      throw error
    }
  }
}

/** Returns the header `WWW-Authenticate` of a 401 (RFC 6750, 3; RFC 9728, 5.1). */
export function challengeOf({ isToken, metadata }: { isToken: boolean; metadata: string | undefined }): string {
  const parts = [
    // A token that was sent is named as the reason.
    ...(isToken ? ['error="invalid_token"'] : []),
    ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
  ]
  return parts.length === 0 ? 'Bearer' : `Bearer ${parts.join(', ')}`
}
