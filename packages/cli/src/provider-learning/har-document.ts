import { UsageError } from '../usage-error.ts'
import { authorizationOf } from './har-authorization.ts'
import { Secrets } from './har-secrets.ts'
import { inferSchema, isValue } from './infer-schema.ts'
import { type Json, listOf, objectOf, textOf } from './json-values.ts'
import { singularOf } from './record-ids.ts'

/** Requests of one recording. */
const entriesMax = 20_000
/** Responses of one request that are compared. */
const samplesMax = 20

/** One recorded request to an API. */
export interface Recorded {
  method: string
  url: URL
  headers: { name: string; value: string }[]
  status: number
  answer?: unknown
  /** Whether the response names a next page in `Link`. */
  hasLink: boolean
  body?: unknown
  bodyType: string
}

/**
 * Describes the requests of a HAR recording as an OpenAPI document: names and types only. No value of a header, cookie,
 * parameter or body is in it, apart from the largest page size.
 *
 * @returns the document, what is not in it, and what no output may contain
 * @throws UsageError for a recording without a response in JSON
 */
export function harDocument(har: Json, name: string): { document: Json; unknown: string[]; secrets: Secrets } {
  const recorded = listOf(objectOf(har['log'])['entries'])
  const secrets = new Secrets(recorded)
  const isHidden = (word: string) => isValue(word) || secrets.has(word)
  const entries = recorded.slice(0, entriesMax).flatMap(recordedOf)
  const counts = new Map<string, number>()
  for (const { url, answer } of entries)
    if (answer !== undefined) counts.set(url.origin, (counts.get(url.origin) ?? 0) + 1)
  const [most, ...others] = [...counts].toSorted(([, a], [, b]) => b - a).map(([origin]) => origin)
  if (most === undefined) throw new UsageError(`${name} has no response in JSON. Record the requests of an API.`)
  const own = entries.filter(({ url }) => url.origin === most)
  const unknown =
    others.length === 0 ? [] : [`hosts are left out: ${others.slice(0, 5).join(', ')}${others.length > 5 ? ', …' : ''}`]
  if (recorded.length > entriesMax) unknown.push(`not read: ${recorded.length - entriesMax} requests at the end`)
  const groups = new Map<string, Recorded[]>()
  for (const each of own) {
    const key = `${each.method} ${templateOf(each.url.pathname, isHidden)}`
    groups.set(key, [...(groups.get(key) ?? []).slice(-samplesMax), each])
  }
  const { securitySchemes, names } = authorizationOf(own)
  const paths = new Map<string, Json>()
  for (const [key, samples] of groups) {
    const [method = '', path = ''] = key.split(' ')
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: operationOf(samples, names, isHidden) })
  }
  const document = {
    openapi: '3.1.0',
    info: { title: new URL(most).hostname },
    servers: [{ url: most }],
    components: { securitySchemes },
    paths: Object.fromEntries(paths),
  }
  return { document, unknown, secrets }
}

function recordedOf(entry: unknown): Recorded[] {
  const request = objectOf(objectOf(entry)['request'])
  const response = objectOf(objectOf(entry)['response'])
  const address = textOf(request['url'])
  if (address === undefined || !URL.canParse(address)) return []
  const url = new URL(address)
  const method = textOf(request['method'])?.toUpperCase() ?? ''
  if (!/^https?:$/.test(url.protocol) || !['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) return []
  const status = Number(response['status'])
  if (status < 200 || status > 299) return []
  const content = objectOf(response['content'])
  const post = objectOf(request['postData'])
  const isBase64 = content['encoding'] === 'base64'
  const text = textOf(content['text'])
  const answer = isJsonType(content['mimeType'])
    ? parsed(isBase64 && text !== undefined ? Buffer.from(text, 'base64').toString('utf8') : text)
    : undefined
  const body = parsed(textOf(post['text']))
  return [
    {
      method,
      url,
      headers: headersOf(request['headers']),
      status,
      hasLink: headersOf(response['headers']).some(
        ({ name, value }) => name.toLowerCase() === 'link' && /rel="?next/i.test(value),
      ),
      bodyType: textOf(post['mimeType'])?.split(';')[0]?.trim() ?? '',
      ...(answer !== undefined && { answer }),
      ...(body !== undefined && { body }),
    },
  ]
}

function headersOf(list: unknown): { name: string; value: string }[] {
  return listOf(list).flatMap((header) => {
    const { name, value } = objectOf(header)
    return typeof name === 'string' && typeof value === 'string' ? [{ name, value }] : []
  })
}

function isJsonType(type: unknown): boolean {
  return /^application\/(json|[\w.-]+\+json)|^text\/json/i.test(textOf(type) ?? '')
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns a path with parameters in place of ids: `/contacts/7` is `/contacts/{contactId}`. */
function templateOf(pathname: string, isHidden: (word: string) => boolean): string {
  let before = 'record'
  const taken = new Set<string>()
  const parts = pathname.split('/').map((part) => {
    const json = part.endsWith('.json') ? '.json' : ''
    const word = json === '' ? part : part.slice(0, -json.length)
    if (word === '' || (/^[\w.~-]+$/.test(word) && !isHidden(word))) {
      if (word !== '') before = word
      return part
    }
    let name = `${singularOf(before.replace(/\W/g, ''))}Id`
    while (taken.has(name)) name = `${name}2`
    taken.add(name)
    return `{${name}}${json}`
  })
  return parts.join('/')
}

function operationOf(
  samples: readonly Recorded[],
  credentials: ReadonlySet<string>,
  isHidden: (name: string) => boolean,
): Json {
  const values = new Map<string, string[]>()
  for (const { url } of samples)
    for (const [name, value] of url.searchParams)
      if (/^[\w$.[\]-]{1,60}$/.test(name) && !credentials.has(name.toLowerCase()) && !isHidden(name))
        values.set(name, [...(values.get(name) ?? []), value])
  const answers = samples.flatMap(({ answer }) => answer ?? [])
  const whole = samples.flatMap(({ answer }) => (answer === undefined ? [] : [answer]))
  const bodies = samples.filter(({ body }) => body !== undefined)
  const [first] = samples
  const hasForm = first !== undefined && first.bodyType === 'application/x-www-form-urlencoded'
  return {
    parameters: [...values].map(([name, texts]) => ({ name, in: 'query', schema: parameterSchema(name, texts) })),
    responses: {
      200: {
        ...(samples.some(({ hasLink }) => hasLink) && { headers: { Link: {} } }),
        ...(answers.length > 0 && { content: { 'application/json': { schema: inferSchema(whole, isHidden) } } }),
      },
    },
    ...(bodies.length > 0 && {
      requestBody: {
        content: {
          'application/json': {
            schema: inferSchema(
              bodies.map(({ body }) => body),
              isHidden,
            ),
          },
        },
      },
    }),
    ...(bodies.length === 0 &&
      first !== undefined &&
      first.bodyType !== '' && {
        requestBody: { content: { [hasForm ? 'application/x-www-form-urlencoded' : 'multipart/form-data']: {} } },
      }),
  }
}

/** The type of a parameter. Only a page size keeps its value: a request for more could be refused. */
function parameterSchema(name: string, texts: readonly string[]): Json {
  const isNumber = texts.every((text) => /^\d{1,15}$/.test(text))
  const schema = inferSchema(isNumber ? texts.map(Number) : texts)
  const isSize = /limit|size|per_?page|count|max|top|take/i.test(name)
  if (!isNumber) return schema
  const numbers = texts.map(Number)
  if (isSize && Math.max(...numbers) <= 1000) return { ...schema, default: Math.max(...numbers) }
  // Pages and offsets are counted from the lowest number that was recorded, if that is 0.
  return numbers.includes(0) ? { ...schema, minimum: 0 } : schema
}
