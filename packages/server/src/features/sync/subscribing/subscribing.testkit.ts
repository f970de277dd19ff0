import { createHash, createHmac, type KeyObject } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { hookProviders } from './hook-providers.testkit.ts'

export interface Hook {
  id: string
  callback: string
  secret: string
  object: string
  space?: string
  events: string[]
}

/** A message as a receiver gets it, as far as tests look at it. */
export interface Message {
  action?: string
  notificationType?: string
  installationId?: string
  objectName?: string
  rawObjectName?: string
  result?: Record<string, unknown>[]
  data?: Record<string, unknown>
}

/** @param providers further provider files, by name */
export async function startSubscribingKit(env: Record<string, string> = {}, providers: Record<string, string> = {}) {
  const hooks = new Map<string, Hook>()
  const records = new Map<string, Record<string, unknown>>()
  const asked: string[] = []
  /** Contacts that a list has. */
  const listed: Record<string, unknown>[] = []
  /** The keys that the broker signs with, and what it was asked to watch. */
  const keySet: { keys: object[] } = { keys: [] }
  const watched: unknown[] = []
  /** Credentials that hooks were ended with. */
  const endedWith: (string | undefined)[] = []
  let tokens = 0
  const spaces: { id: string; mine: boolean }[] = []
  /** Statuses of the next answers by the beginning of what is asked. */
  const orders: { what: string; status: number; headers?: Record<string, string> }[] = []
  /** Is awaited before the next request that begins so is answered. */
  const pauses: { what: string; until: () => Promise<unknown> }[] = []
  let expires: string | undefined
  /** Runs before the response to a registration. */
  let onRegister: ((hook: Hook) => Promise<unknown>) | undefined
  let count = 0
  const provider = createServer(async (request, response) => {
    const what = `${request.method} ${request.url}`
    asked.push(what)
    const body = await textOf(request)
    const answer = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
    const pause = pauses.findIndex((one) => what.startsWith(one.what))
    if (pause >= 0) await pauses.splice(pause, 1)[0]?.until()
    const order = orders.findIndex((one) => what.startsWith(one.what))
    if (order >= 0) {
      const [{ status, headers } = { status: 500, headers: {} }] = orders.splice(order, 1)
      return answer(status, { error: 'As ordered.' }, headers)
    }
    const [, place = '', id = '', verb] = (request.url ?? '').split('?')[0]?.split('/') ?? []
    if (place === 'hooks' && request.method === 'POST' && verb === 'renew') return answer(200, { expires })
    const confirmed = verb === 'confirm' ? hooks.get(id) : undefined
    if (confirmed) return answer(200, { secret: `key-${confirmed.secret}` })
    if (place === 'hooks' && request.method === 'POST') {
      const hook = { ...(JSON.parse(body) as Omit<Hook, 'id'>), id: `h${++count}` }
      hooks.set(hook.id, hook)
      await onRegister?.(hook)
      return answer(201, { id: hook.id, ...(expires !== undefined && { expires }) }, { 'x-id': hook.id })
    }
    if (place === 'hooks') {
      endedWith.push(request.headers.authorization)
      return answer(hooks.delete(id) ? 200 : 404, {})
    }
    if (place === 'me') return answer(200, { org: 'org1' })
    if (place === 'keys') return answer(200, keySet)
    if (place === 'profile') return answer(200, { emailAddress: `${request.headers['x-api-key']}@x.test` })
    if (place === 'watch') {
      watched.push(JSON.parse(body))
      return answer(200, { historyId: `${++count}`, expiration: `${app.clock.now().getTime() + 7 * 86_400_000}` })
    }
    if (place === 'token') {
      // Each refresh token is taken once.
      if (new URLSearchParams(body).get('refresh_token') !== `refresh${tokens}`)
        return answer(400, { error: 'invalid_grant' })
      tokens++
      return answer(200, {
        access_token: `token${tokens}`,
        refresh_token: `refresh${tokens}`,
        token_type: 'Bearer',
        expires_in: 100,
      })
    }
    if (place === 'contacts' && id === '') return answer(200, { data: listed })
    if (place === 'companies') {
      const ids = new URL(what.slice(4), 'http://provider').searchParams.get('ids')?.split(',') ?? []
      return answer(200, { data: ids.flatMap((one) => records.get(one) ?? []) })
    }
    if (place === 'spaces') return answer(200, spaces)
    const record = records.get(id)
    return record ? answer(200, record) : answer(404, { error: 'There is none.' })
  })
  const delivered: Message[] = []
  const receiver = createServer(async (request, response) => {
    delivered.push(JSON.parse(await textOf(request)) as Message)
    response.end()
  })
  const providerUrl = await listen(provider)
  const receiverUrl = await listen(receiver)
  const providersDir = await mkdtemp(join(tmpdir(), 'mortise-hooks-'))
  for (const [name, file] of Object.entries({ ...hookProviders, ...providers }))
    await writeFile(join(providersDir, `${name}.yaml`), file.replace('KEYS', `${providerUrl}/keys`))
  const app: TestApp = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providersDir, ...env } })
  const { publicUrl } = app.app.services
  const call = async <T = Record<string, string>>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await app.call<T>(method, `/projects/default${path}`, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const destination = await call('POST', '/destinations', {
    name: 'hook',
    type: 'webhook',
    metadata: { url: receiverUrl },
  })
  let installed = 0
  const kit = {
    app,
    providerUrl,
    providersDir,
    call,
    hooks,
    records,
    asked,
    listed,
    keySet,
    watched,
    endedWith,
    orders,
    pauses,
    spaces,
    delivered,
    destinationId: destination.id ?? '',
    receiverUrl,
    onRegister: (run: typeof onRegister) => {
      onRegister = run
    },
    setExpires: (time: Date) => {
      expires = time.toISOString()
    },
    /** Deploys an integration under a name of its own, connects a group and installs. */
    async install({
      objects,
      provider: name = 'hookCrm',
      workspace,
      config = {},
      integration = `crm${installed + 1}`,
      credential = { apiKey: 'key' },
      metadata = {},
    }: {
      objects: Record<string, unknown>[]
      provider?: string
      workspace?: string
      config?: Record<string, unknown>
      integration?: string
      credential?: Record<string, unknown>
      metadata?: Record<string, string>
    }) {
      installed++
      const groupRef = `group${installed}`
      await kit.deploy(integration, objects, name)
      const { id: connectionId } = await call('POST', '/connections:generate?verify=true', {
        groupRef,
        consumerRef: groupRef,
        provider: name,
        ...credential,
        providerMetadata: { url: providerUrl, ...metadata },
        ...(workspace !== undefined && { providerWorkspaceRef: workspace }),
      })
      const { id, integrationId } = await call('POST', `/integrations/${integration}/installations`, {
        groupRef,
        connectionId,
        config: { content: { provider: name, read: { objects: { contacts: {} } }, ...config } },
      })
      return {
        id: id ?? '',
        integrationId: integrationId ?? '',
        integration,
        groupRef,
        connectionId: connectionId ?? '',
      }
    },
    async deploy(integration: string, objects: Record<string, unknown>[], name = 'hookCrm') {
      const contacts = {
        objectName: 'contacts',
        mapToName: 'people',
        destination: 'hook',
        schedule: '0 0 29 2 *',
        requiredFields: [{ fieldName: 'email' }, { fieldName: 'Phone', mapToName: 'telephone' }],
      }
      const content = { name: integration, provider: name, read: { objects: [contacts] }, subscribe: { objects } }
      // JSON is YAML.
      await call('PUT', '/integrations:batch', {
        sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [content] }),
      })
    },
    /** The hook of an object, once it is registered. */
    async hookOf(installationId: string, object = 'contacts'): Promise<Hook> {
      return until(() =>
        [...hooks.values()].find((one) => one.callback.includes(installationId) && one.object === object),
      )
    },
    /** Sends events as the provider does; answers the status. */
    async send(
      { callback, secret }: Pick<Hook, 'callback' | 'secret'>,
      events: unknown,
      {
        at = app.clock.now(),
        body = JSON.stringify({ events }),
        to = app.url,
      }: { at?: Date; body?: string; to?: string } = {},
    ): Promise<number> {
      const time = `${Math.floor(at.getTime() / 1_000)}`
      const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
      const url = callback.replace(publicUrl, to)
      const headers = { 'x-signature': `v1=${signature}`, 'x-time': time, 'content-type': 'application/json' }
      return (await fetch(url, { method: 'POST', headers, body })).status
    },
    /** Sends to the URL of an app, signed over method, URL and body. */
    async sendToApp(integration: string, payload: unknown, secret: string) {
      const path = `/subscribe/v1/projects/${app.projectId}/integrations/${integration}`
      const body = JSON.stringify(payload)
      const signature = createHmac('sha256', secret).update(`POST${publicUrl}${path}${body}`).digest('base64')
      const headers = { 'x-app-signature': signature, 'content-type': 'application/json' }
      const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers, body })
      return { status: answer.status, text: await answer.text(), type: answer.headers.get('content-type') }
    },
    /** Sends to the URL of an installation, with a token over URL and body. */
    async sendSigned(
      { id, integrationId }: { id: string; integrationId: string },
      payload: unknown,
      { key, signedFor = id }: { key: KeyObject; signedFor?: string },
    ): Promise<number> {
      const path = (one: string) =>
        `/subscribe/v1/projects/${app.projectId}/integrations/${integrationId}/installations/${one}`
      const body = JSON.stringify(payload)
      const token = await new SignJWT({
        webhook_url: `${publicUrl}${path(signedFor)}`,
        body_sha256: createHash('sha256').update(body).digest('hex'),
      })
        .setProtectedHeader({ alg: 'RS256' })
        .setExpirationTime(Math.floor(app.clock.now().getTime() / 1_000) + 60)
        .sign(key)
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return (await fetch(`${app.url}${path(id)}`, { method: 'POST', headers, body })).status
    },
    /** Entries of the messages about an installation that were delivered. */
    entries: (installationId: string) =>
      delivered
        .filter((message) => message.action === 'subscribe' && message.installationId === installationId)
        .flatMap(({ result = [] }) => result),
    until,
    async stop() {
      await app.stop()
      for (const server of [provider, receiver]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      await rm(providersDir, { recursive: true, force: true })
    },
  }
  return kit
}

export type SubscribingKit = Awaited<ReturnType<typeof startSubscribingKit>>

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function until<T>(ask: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const givenUpAt = Date.now() + 60_000
  for (;;) {
    const found = await ask()
    if (found) return found
    if (Date.now() > givenUpAt) throw new Error('the condition did not come true in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
