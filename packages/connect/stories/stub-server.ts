import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { OperationId, Output } from '@mortise/client'
import type {
  ConfigContent,
  ConnectInfo,
  ConnectOutcome,
  Installation,
  InstallationSummary,
  InstallationWebhook,
} from '../src/headless/wire.ts'
import { forms } from './forms.ts'
import { ago, connection, info, records, revisions, status } from './scenarios.ts'
import { scenarios } from './stories.ts'

/** Speaks the endpoints that the components use, from memory. The token names a scenario. */
export interface StubServer {
  url: string
  /** Bodies of the requests that changed something, newest last. */
  requests: { method: string; path: string; body: unknown }[]
  close(): Promise<void>
}

interface State {
  info: ConnectInfo
  /** When the secret of a webhook was saved. */
  secretTimes: string[]
  /** Address of this server. */
  origin: string
}

export async function startStubServer(assetsDir: string, port = 0): Promise<StubServer> {
  const states = new Map<string, State>()
  const requests: StubServer['requests'] = []
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error)
      response.writeHead(500).end()
    })
  })

  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stateOf = (token: string): State => {
    let state = states.get(token)
    if (!state) {
      const scenario = scenarios[token.split(':')[0] ?? '']
      state = { info: structuredClone(info(scenario?.info)), secretTimes: [], origin: address() }
      state.info.connect = {
        ...state.info.connect,
        messages: { ar: { back: 'رجوع' }, ...state.info.connect?.messages },
      }
      states.set(token, state)
    }
    return state
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', 'http://stub')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body = text ? (JSON.parse(text) as Record<string, unknown>) : undefined
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*, authorization')
    response.setHeader('access-control-allow-methods', '*')
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    if (url.pathname.startsWith('/connect/assets/'))
      return sendFile(response, path.join(assetsDir, path.basename(url.pathname)))
    const page = pageOf(url, assetsDir)
    if (page) return response.writeHead(200, page.headers).end(page.html)
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '')
    if (request.method !== 'GET') requests.push({ method: request.method ?? '', path: url.pathname, body })
    const scenario = scenarios[token.split(':')[0] ?? '']
    const name = `${request.method} ${url.pathname.replace(/^.*\/projects\/p\//, '')}`
    const failure = scenario?.failures?.find(({ on }) => on.test(name))
    if (failure) {
      const isOver = failure.times !== undefined && failure.times-- <= 0
      if (!isOver) return problem(response, failure.status, failure.code, failure.detail, failure.issues)
    }
    if (scenario?.pending?.test(name)) return undefined
    return answer(request, response, url, body, stateOf(token))
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: address(),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ')

function pageOf(url: URL, assetsDir: string): { headers: Record<string, string>; html: string } | undefined {
  const assets = JSON.parse(readFileSync(path.join(assetsDir, 'assets.json'), 'utf8')) as { connect: string }
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
  if (url.pathname === '/provider')
    return { headers: { 'content-type': headers['content-type'] }, html: providerPage(url) }
  if (url.pathname !== '/' && url.pathname !== '/story') return undefined
  const name = url.searchParams.get('name')
  const story = name === null ? undefined : scenarios[name]
  if (!story)
    return {
      headers,
      html: `<!doctype html><html lang="en"><title>Stories</title><h1>Stories</h1><ul>${Object.keys(scenarios)
        .map((one) => `<li><a href="/story?name=${one}">${one}</a></li>`)
        .join('')}</ul>`,
    }
  const attributes = {
    project: 'p',
    token: `${name}:${url.searchParams.get('run') ?? 'story'}`,
    ...story.attributes,
    ...(url.searchParams.has('language') && { language: url.searchParams.get('language') }),
    ...(url.searchParams.has('theme') && { theme: url.searchParams.get('theme') }),
    ...(url.searchParams.has('mode') && { mode: url.searchParams.get('mode') }),
  }
  const text = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
  return {
    headers,
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${name}</title><script type="module" src="/connect/assets/${assets.connect}"></script>
<main><h1>Integrations</h1><${story.element}${text.join('')}></${story.element}></main>`,
  }
}

/** A page of a provider that allows, denies, or waits. */
function providerPage(url: URL): string {
  const message = {
    allow: { eventType: 'AUTHORIZATION_SUCCEEDED', data: { connection: url.searchParams.get('id') } },
    deny: { eventType: 'AUTHORIZATION_FAILED', message: 'access_denied: the user declined', data: {} },
  }[url.searchParams.get('do') ?? '']
  const back = url.searchParams.get('back')
  const script = message
    ? `opener?.postMessage(${JSON.stringify(message)}, location.origin)`
    : back
      ? `location.href = ${JSON.stringify(back)}`
      : ''
  return `<!doctype html><title>Provider</title><h1>Provider</h1><script>${script}</script>`
}

function sendFile(response: ServerResponse, file: string): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=31536000, immutable' })
  return response.end(readFileSync(file))
}

/** Sends what the service would answer to an operation: a difference is an error of types. */
function send<Id extends OperationId>(response: ServerResponse, _: Id, value: Output<Id>, code = 200): ServerResponse {
  return response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function sendNothing(response: ServerResponse): ServerResponse {
  return response.writeHead(204).end()
}

function problem(
  response: ServerResponse,
  code: number,
  name: string,
  detail: string,
  issues?: object[],
): ServerResponse {
  response.writeHead(code, { 'content-type': 'application/problem+json', 'x-request-id': 'req-42' })
  return response.end(
    JSON.stringify({
      type: 'about:blank',
      title: name,
      status: code,
      detail,
      requestId: 'req-42',
      context: { code: name },
      issues,
    }),
  )
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  body: Record<string, unknown> | undefined,
  state: State,
): ServerResponse {
  const parts = url.pathname
    .replace(/^(\/read)?\/v1\/projects\/p\//, '')
    .split('/')
    .map(decodeURIComponent)
  const [kind, id = '', below, belowId = '', last] = parts
  const { method } = request
  if (kind === 'connect-info' && parts.length === 1) return send(response, 'getConnectInfo', state.info)
  if (kind === 'connect-info' && method === 'GET') {
    const form = forms[belowId || (below ?? '')]
    return form ? send(response, 'getConnectForm', form) : problem(response, 404, 'provider-not-found', 'Not found.')
  }
  if (kind === 'connect-info')
    return connectAccount(response, (below ?? '').replace(/:connect$/, ''), body ?? {}, state)
  if (kind === 'connections') {
    state.info.connections = state.info.connections.filter((one) => one.id !== id)
    state.info.installations = state.info.installations.filter((one) => one.connectionId !== id)
    return sendNothing(response)
  }
  if (id.endsWith(':preview'))
    return send(response, 'previewRecords', { objectName: String(body?.['objectName']), records, isComplete: true })
  if (below === 'revisions') {
    const revision = revisions[belowId.replace(/:hydrate$/, '')]
    return revision
      ? send(response, 'getHydratedRevision', revision)
      : problem(response, 404, 'not-found', 'Not found.')
  }
  if (below !== 'installations') return problem(response, 404, 'not-found', 'Not found.')
  return answerInstallation(response, { method, integrationId: id, installationId: belowId, last, body }, state)
}

function answerInstallation(
  response: ServerResponse,
  {
    method,
    integrationId,
    installationId,
    last,
    body,
  }: {
    method: string | undefined
    integrationId: string
    installationId: string
    last: string | undefined
    body: Record<string, unknown> | undefined
  },
  state: State,
): ServerResponse {
  const found = state.info.installations.find(({ id }) => id === installationId.replace(/:(un)?pause$/, ''))
  if (last === 'status')
    return send(response, 'getInstallationStatus', { ...status, healthStatus: found?.healthStatus ?? 'healthy' })
  if (last === 'webhook') return send(response, 'getInstallationWebhook', webhookOf(installationId, state))
  if (last === 'webhook-secret') {
    state.secretTimes.push(ago(0))
    return send(response, 'setWebhookSecret', webhookOf(installationId, state))
  }
  if (method === 'POST' && installationId.endsWith('pause')) {
    if (found) found.isPaused = !installationId.endsWith(':unpause')
    return sendNothing(response)
  }
  if (method === 'POST') {
    const made: InstallationSummary = {
      id: `ins-${state.info.installations.length + 1}`,
      integrationId,
      connectionId: String(body?.['connectionId']),
      healthStatus: 'healthy',
      isPaused: false,
      createTime: ago(0),
    }
    state.info.installations.push(made)
    const { content } = (body?.['config'] ?? {}) as { content: ConfigContent }
    return send(response, 'createInstallation', installationOf(made, content, state), 201)
  }
  if (method === 'DELETE') {
    state.info.installations = state.info.installations.filter((one) => one !== found)
    return sendNothing(response)
  }
  if (!found) return problem(response, 404, 'installation-not-found', 'Not found.')
  return send(response, 'getInstallation', installationOf(found, installedContent, state))
}

function webhookOf(installationId: string, { secretTimes }: State): InstallationWebhook {
  const setTime = secretTimes.at(-1)
  return {
    url: `https://mortise.example.com/subscribe/v1/projects/p/integrations/int-crm/installations/${installationId}`,
    providerDisplayName: 'Sample CRM',
    secret: {
      displayName: 'Secret key',
      prompt: 'In Sample CRM, open Webhooks and add one with this address. Its secret key is on the same page.',
      docsUrl: 'https://docs.example.com/webhooks',
      state: setTime === undefined ? 'missing' : 'set',
      ...(setTime !== undefined && { setTime }),
      ...(secretTimes.length > 1 && { previousExpireTime: ago(-1_440) }),
    },
  }
}

function installationOf(summary: InstallationSummary, content: ConfigContent, { info }: State): Installation {
  const { id, integrationId, connectionId, healthStatus, createTime } = summary
  const used = info.connections.find((one) => one.id === connectionId) ?? connection(connectionId, content.provider)
  return {
    id,
    integrationId,
    projectId: 'p',
    healthStatus,
    createTime,
    createdBy: 'consumer:ada',
    group: used.group,
    connection: used,
    config: { id: `config-of-${id}`, revisionId: 'rev-1', createdBy: 'consumer:ada', createTime, content },
  }
}

const installedContent: ConfigContent = {
  provider: 'sampleCrm',
  read: {
    objects: {
      contacts: {
        objectName: 'contacts',
        schedule: '*/5 * * * *',
        selectedFields: { birthday: true, visits: true },
        selectedFieldMappings: { priority: 'cf_priority' },
      },
    },
  },
  write: { objects: { contacts: { objectName: 'contacts' } } },
}

function connectAccount(
  response: ServerResponse,
  provider: string,
  body: Record<string, unknown>,
  state: State,
): ServerResponse {
  const values = (body['values'] ?? {}) as Record<string, string>
  if (Object.values(values).includes('refused'))
    return problem(response, 422, 'credential-refused', 'Invalid API key: the key was revoked (HTTP 401).')
  if (Object.values(values).includes('unreachable'))
    return problem(response, 422, 'provider-unreachable', 'getaddrinfo ENOTFOUND unreachable.zendesk.com')
  const wrong = Object.entries(values).filter(([, value]) => value === 'wrong')
  if (wrong.length > 0)
    return problem(
      response,
      400,
      'invalid-input',
      'Some values are not valid.',
      wrong.map(([name]) => ({ in: 'body', name: `values.${name}`, detail: 'This workspace does not exist.' })),
    )
  const scheme = String(body['scheme'])
  if (scheme === 'oauth2' || scheme === 'steps')
    return send(response, 'connectProviderAccount', redirect(provider, body, state))
  const known = state.info.connections.find(({ id }) => id === body['connectionId'])
  if (known) Object.assign(known, { status: 'working', statusSince: undefined, failure: undefined })
  const made = known ?? connection(`new-${provider}`, provider)
  if (!known) state.info.connections.push(made)
  return send(response, 'connectProviderAccount', { outcome: 'connected', connection: made })
}

/** The workspace says what the provider's page does. */
function redirect(provider: string, body: Record<string, unknown>, state: State): ConnectOutcome {
  const values = (body['values'] ?? {}) as Record<string, string>
  const what = Object.values(values)[0] ?? 'allow'
  const known = state.info.connections.find(({ id }) => id === body['connectionId'])
  // Asked again, the account grants all permissions.
  if (known) delete known.missingPermissions
  const made = known ?? connection(`new-${provider}`, provider)
  if (what !== 'deny' && what !== 'wait' && !state.info.connections.some(({ id }) => id === made.id))
    state.info.connections.push(made)
  const back =
    body['mode'] === 'redirect' ? `&back=${encodeURIComponent(returnTo(String(body['returnUrl']), what, made.id))}` : ''
  const doing = back ? '' : what === 'deny' || what === 'wait' ? what : 'allow'
  return { outcome: 'redirect', url: `${state.origin}/provider?do=${doing}&id=${made.id}${back}` }
}

function returnTo(returnUrl: string, what: string, connectionId: string): string {
  const url = new URL(returnUrl)
  if (what === 'deny') url.searchParams.set('error', 'access_denied: the user declined')
  else {
    url.searchParams.set('connectionId', connectionId)
    url.searchParams.set('status', 'working')
  }
  return url.href
}
