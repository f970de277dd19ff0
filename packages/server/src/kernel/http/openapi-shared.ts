import { mayRepeat } from './add-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { pagesInHeaders } from './page.ts'

/** Whether answers carry an entity tag: the kernel's, or one of the endpoint's own, which then declares the 304. */
export function isTagged({ access, method, produces, reply }: Endpoint['declaration']): boolean {
  return method === 'GET' && 200 in reply && (304 in reply || (access !== 'public' && !produces))
}

/** Headers of an answer; of a whole one (200) also those of its resource. */
export function headersOf(declaration: Endpoint['declaration'], isWhole: boolean): Record<string, unknown> {
  const names = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
  if (isWhole && isTagged(declaration)) names.push('ETag')
  if (isWhole && pagesInHeaders(declaration)) names.push('Link', 'X-Next-Page-Token')
  if (mayRepeat(declaration)) names.push('Idempotency-Replayed')
  return refs(names)
}

/** Shared headers by name. */
export function refs(names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const header = (description: string) => ({ description, schema: { type: 'string' } })
export const sharedHeaders = {
  'X-Request-Id': header('Id of the request, which the log knows it by.'),
  RateLimit: header(
    'Requests left: `"credential";r=LEFT;t=SECONDS`, or `"address"` where no credential is needed. Absent where no rate is set.',
  ),
  'RateLimit-Policy': header(
    'The rate limit: `"credential";q=REQUESTS;w=SECONDS`, or `"address"`. Absent where no rate is set.',
  ),
  'Retry-After': header('Seconds to wait before the request may succeed.'),
  ETag: header('Entity tag of the answer, for If-None-Match.'),
  Link: header('The next page: `<URL>; rel="next"`, relative to the URL of the request. Absent on the last page.'),
  'X-Next-Page-Token': header('`pageToken` of the next page. Absent on the last page.'),
  'Idempotency-Replayed': header('`true` when this is the answer that an earlier request with the same key was given.'),
}
export const sharedParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A repeated request with the same key within 24 hours returns the first response and has no further effect.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7E]+$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'Entity tags that the caller has; the answer is 304 without a body while it is one of them.',
    schema: { type: 'string' },
  },
}
