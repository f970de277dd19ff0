import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Schema, Type } from 'avsc'

/** A schema registry, as strict as that of Confluent with the compatibility BACKWARD. */
export async function startFakeRegistry(login?: { username: string; password: string }) {
  const schemas: string[] = []
  const subjects = new Map<string, number[]>()
  const requests: string[] = []
  let behavior = 'accept'
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${decodeURIComponent(request.url ?? '')}`)
    const planned = behaviors[behavior]
    if (planned) return void planned(request, response)
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': mediaType }).end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { authorization } = request.headers
    const expected = login && `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
    if (authorization !== expected) return problem(401, 401)
    const [, subject, latest] = /^\/subjects\/([^/]+)\/versions(\/latest)?$/.exec(request.url ?? '') ?? []
    if (subject === undefined) return problem(404, 404)
    const name = decodeURIComponent(subject)
    const ids = subjects.get(name) ?? []
    if (request.method === 'GET' && latest) {
      const id = ids.at(-1)
      if (id === undefined) return problem(404, 40401)
      return { status: 200, body: { subject: name, version: ids.length, id, schema: shown(schemas[id - 1] ?? '') } }
    }
    if (request.method !== 'POST' || latest) return problem(405, 405)
    if (request.headers['content-type'] !== mediaType) return problem(415, 415)
    return register(name, ids, (JSON.parse(Buffer.concat(chunks).toString()) as { schema: string }).schema)
  }

  function register(subject: string, ids: number[], schema: string): { status: number; body: object } {
    try {
      Type.forSchema(JSON.parse(schema) as Schema)
    } catch {
      return problem(422, 42201)
    }
    if (behavior === 'incompatible' || !canRead(schema, schemas[(ids.at(-1) ?? 0) - 1])) return problem(409, 409)
    let id = schemas.indexOf(schema) + 1
    if (id === 0) id = schemas.push(schema)
    if (!ids.includes(id)) subjects.set(subject, [...ids, id])
    return { status: 200, body: { id } }
  }

  /** Some registries write the keys of a schema in another order. */
  function shown(schema: string): string {
    if (behavior !== 'reorders') return schema
    return JSON.stringify(JSON.parse(schema), (_, item: unknown) =>
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).toReversed())
        : item,
    )
  }

  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    subjects,
    /** Registers what somebody else made. */
    add: (subject: string, schema: object) => register(subject, subjects.get(subject) ?? [], JSON.stringify(schema)),
    schemaOf: (id: number) => JSON.parse(schemas[id - 1] ?? 'null') as Schema,
    behave: (what: string) => {
      behavior = what
    },
    /** Reads a value as deserializers do, by the id of its schema. */
    decode<T>(value: Buffer | undefined): T {
      if (value?.[0] !== 0) throw new Error('the value has no magic byte')
      return Type.forSchema(JSON.parse(schemas[value.readUInt32BE(1) - 1] ?? '')).fromBuffer(value.subarray(5)) as T
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const mediaType = 'application/vnd.schemaregistry.v1+json'

function problem(status: number, code: number) {
  return { status, body: { error_code: code, message: `error ${code}` } }
}

/** Whether the new schema can read what was written by the former one. */
function canRead(schema: string, former: string | undefined): boolean {
  if (former === undefined) return true
  try {
    Type.forSchema(JSON.parse(schema)).createResolver(Type.forSchema(JSON.parse(former)))
    return true
  } catch {
    return false
  }
}

/** Bad answers, and what a person reads of each. */
export const failures: Record<string, string> = {
  'answers 500': 'answered 500',
  'answers 401': 'refused the user name or password (401)',
  'answers 403': 'does not permit this user',
  'answers with HTML': 'did not answer as a schema registry does',
  'has another 404': 'has no such path (404)',
  redirects: 'answered 302',
  'hangs up': '',
  hangs: 'in time',
  'answers with nothing': 'did not answer as a schema registry does',
  'has an id that is none': 'did not answer as a schema registry does',
}

const behaviors: Record<string, (request: IncomingMessage, response: ServerResponse) => unknown> = {
  'answers 500': (_, response) => response.writeHead(500).end(),
  'answers 401': ({ headers }, response) => response.writeHead(401).end(`You sent ${headers.authorization}.`),
  'answers 403': (_, response) => response.writeHead(403).end(),
  'answers with HTML': (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
  'has another 404': (_, response) => response.writeHead(404).end('<html>Not found</html>'),
  redirects: (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
  'hangs up': (_, response) => response.socket?.destroy(),
  hangs: () => undefined,
  'answers with nothing': (_, response) => response.writeHead(200).end(),
  'has an id that is none': (_, response) => response.writeHead(200).end('{"id": 1e20, "schema": "{}"}'),
}
