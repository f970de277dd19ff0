import { callerHeaderRefused } from '../interpreter/writing/caller-headers.ts'

/** Headers that the session sets, credentials, and headers that make a request another one. */
const refused = new Set([
  'forwarded',
  'proxy-connection',
  'range',
  'via',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
])

/** Whether a request of a tool may have a header of this name. */
export function isToolHeader(name: string): boolean {
  const lower = name.toLowerCase()
  if (lower === 'accept') return true
  return !callerHeaderRefused(name) && !refused.has(lower) && !lower.startsWith('x-forwarded-')
}
