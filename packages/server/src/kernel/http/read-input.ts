import type { Readable } from 'node:stream'
import { cappedBody } from './binary-body.ts'
import type { Endpoint } from './endpoint.ts'
import type { EndpointRequest } from './exchange.ts'
import type { Issue } from './problem.ts'
import { InvalidInput, UnacceptableInput } from './problems.ts'
import { readJson } from './read-json.ts'
import { unknownQueryFinder } from './unknown-query.ts'
import { type PartValidator, partValidator } from './validate.ts'

/** Checks all parts of a request together, so that one answer tells everything that is wrong. Answers the body. */
export function inputReader(
  declaration: Omit<Endpoint['declaration'], 'moreIssues'>,
  bodyBytesMax: number,
  moreIssues?: (body: unknown, issues: readonly Issue[]) => Issue[],
  checkHeaders?: (headers: EndpointRequest['headers']) => Issue[],
): (request: Pick<EndpointRequest, 'params' | 'query' | 'headers' | 'body'>) => unknown {
  const parts: ['params' | 'query', PartValidator][] = []
  if (declaration.params) parts.push(['params', partValidator('path', declaration.params)])
  if (declaration.query) parts.push(['query', partValidator('query', declaration.query)])
  const Refusal = declaration.invalidInputStatus === 422 ? UnacceptableInput : InvalidInput
  const validateBody = declaration.body && partValidator('body', declaration.body)
  const unknownQuery = unknownQueryFinder(declaration)
  return (request) => {
    const issues = parts.flatMap(([key, validate]) => validate(request[key]))
    issues.push(...unknownQuery(request.query))
    if (checkHeaders) issues.unshift(...checkHeaders(request.headers))
    let body: unknown
    if (declaration.accepts === 'binary') {
      const announced = Number(request.headers['content-length'] ?? 0)
      if (issues.length === 0) body = cappedBody(request.body as Readable | undefined, announced, bodyBytesMax)
    } else if (declaration.accepts === 'bytes') body = request.body ?? Buffer.alloc(0)
    else if (validateBody) {
      const bytes = request.body as Buffer | undefined
      if (bytes !== undefined && bytes.length > 0) {
        body = readJson(bytes, issues)
        if (body !== undefined) issues.push(...validateBody(body))
        if (issues.length > 0 && body !== undefined && moreIssues) issues.push(...moreIssues(body, issues))
      } else if (!declaration.bodyOptional) issues.push(bodyMissing)
    }
    if (issues.length > 0) throw new Refusal({ issues })
    return body
  }
}

const bodyMissing: Issue = {
  in: 'body',
  name: 'body',
  detail: 'A body is required.',
  remedy: 'Send a JSON document, with the header Content-Type: application/json.',
}
