import type { Issue } from '../../../kernel/http/index.ts'

/** Headers that say who sends, to whom, or what the body is: never the caller's to choose. */
const reserved =
  /^(?:authorization|cookie|host|origin|referer|forwarded|via|accept-encoding|idempotency-key|x-api-key|(?:content|proxy|sec|x-forwarded)-.*|connection|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/

/** What is wrong with the headers that a caller wants passed on. Their values are not shown: they may be secrets. */
export function headerIssues(headers: readonly { key: string; value: string }[]): Issue[] {
  return headers.flatMap(({ key, value }, at): Issue[] => {
    const name = `headers[${at}]`
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key))
      return [{ in: 'body', name: `${name}.key`, value: key, detail: `${name}.key is not the name of a header.` }]
    if (reserved.test(key.toLowerCase()))
      return [
        {
          in: 'body',
          name: `${name}.key`,
          value: key,
          detail: `The header ${key} is set by the service.`,
          remedy: 'Leave it out.',
        },
      ]
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return [{ in: 'body', name: `${name}.value`, detail: `${name}.value holds what no header can.` }]
    return []
  })
}

/** By name in lower case; of two of one name the later one counts. */
export function forwardedHeaders(headers: readonly { key: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), value.trim()]))
}
