import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../telemetry/index.ts'
import type { ApiKeyCaller, BuilderCaller, CallerProject } from './caller.ts'
import type { Access } from './permissions.ts'
import type { ProblemClass } from './problem.ts'

/** Input of a pass-through route: Node's request, its body unread. */
export interface PassThroughInput {
  request: IncomingMessage
  response: ServerResponse
  /** Path and query, from the route's path on, undecoded, without the host. */
  url: string
  caller: ApiKeyCaller | BuilderCaller
  project: CallerProject
  /** The key or token that the caller sent; never send it to another service. */
  credential: string
  requestId: string
  log: Logger
  /** Sets a header of the response in case a problem is thrown. */
  setHeader(name: string, value: string): void
}

export interface PassThroughDeclaration {
  /** Unique, also among endpoints. */
  id: string
  /** Path prefix, for all methods. In the form of endpoints: `//proxy`. */
  path: string
  /** Row of the table of permissions: one that rejects front ends. */
  access: Access & 'develop'
  /** The header `X-Mortise-Project-Id` names the project. */
  projectIn: 'header'
  summary: string
  problems: ProblemClass[]
}

/**
 * A path prefix whose requests are passed through unread. The order is the same as for `endpoint()` (authenticate,
 * authorize, run, map errors), but another service defines request and response.
 */
export interface PassThrough<S = never> {
  declaration: PassThroughDeclaration
  /**
   * Resolves when the response has been sent or the client has disconnected. A problem that is thrown before the
   * response has begun becomes the response.
   */
  run: (input: PassThroughInput, services: S) => Promise<void>
}

export function passThrough<S>(declaration: PassThroughDeclaration & { run: PassThrough<S>['run'] }): PassThrough<S> {
  const { run, ...declared } = declaration
  return { declaration: declared, run }
}
