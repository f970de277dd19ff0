import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../telemetry/index.ts'
import type { ApiKeyCaller, CallerProject } from './caller.ts'
import type { Access } from './permissions.ts'
import type { ProblemClass } from './problem.ts'

/** What a relay gets: the request as Node has it, nothing of its body read. */
export interface PassThroughInput {
  request: IncomingMessage
  response: ServerResponse
  /** Path and query, from the relay's own path on, undecoded, whatever the host. */
  url: string
  caller: ApiKeyCaller
  project: CallerProject
  /** The key that the caller sent: it leaves this process in nothing. */
  credential: string
  requestId: string
  log: Logger
  /** Sets a header of the answer in case that a problem is thrown. */
  setHeader(name: string, value: string): void
}

export interface PassThroughDeclaration {
  /** Unique among endpoints too. */
  id: string
  /** Where it begins; everything below, by any method, is its own. In the form of endpoints: `//proxy`. */
  path: string
  /** The row of the table of permissions: one that only keys pass. */
  access: Access & 'key'
  /** The project stands in `X-Mortise-Project-Id`. */
  projectIn: 'header'
  summary: string
  problems: ProblemClass[]
}

/**
 * Declares a path below which requests are handed over as they are. It stands beside `endpoint()`: the order is the
 * same (authenticate, authorise, run, map errors), but what is sent and answered is another's, and nothing of it is
 * read here.
 */
export interface PassThrough<S = never> {
  declaration: PassThroughDeclaration
  /**
   * Answers when the answer has been sent or the client is gone. A problem thrown before the answer has begun becomes
   * the answer.
   */
  run: (input: PassThroughInput, services: S) => Promise<void>
}

export function relay<S>(declaration: PassThroughDeclaration & { run: PassThrough<S>['run'] }): PassThrough<S> {
  const { run, ...declared } = declaration
  return { declaration: declared, run }
}
