import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { Request } from './format/request.ts'
import type { Verification, Webhooks } from './format/webhooks.ts'
import { httpToken } from './lint-base.ts'
import { lintListing } from './lint-listing.ts'
import { lintRequest } from './lint-request.ts'

const ofRegistration = ['url', 'secret', 'events', 'objects', 'event', 'object', 'registration', 'id']

/**
 * What the schema cannot say of webhooks: variables that nobody fills, secrets that nobody has, events that nobody
 * gets.
 */
export function lintWebhooks(webhooks: Webhooks, connectionVariables: readonly string[]): Flaw[] {
  const { endpoint, account, registration, verify, objects = {}, otherObjects, association } = webhooks
  const flaws: Flaw[] = []
  const add = (path: Flaw['path'], message: string) => flaws.push({ path: ['webhooks', ...path], message })
  if ((endpoint === 'app') !== (account !== undefined))
    add(['account'], 'is required with `endpoint: app`, and not allowed otherwise')
  if (endpoint === 'app' && registration !== undefined)
    add(['registration'], 'is made per installation; `endpoint: app` has no URL for that')
  for (const name of account === undefined ? [] : parseTemplate(account.is).variables)
    if (!connectionVariables.includes(name))
      add(['account', 'is'], `uses the variable "${name}", which is not declared`)
  flaws.push(...lintVerification(webhooks))
  if ((webhooks.event.name === undefined) === (webhooks.event.named === undefined))
    add(['event'], 'needs one of "name" and "named"')
  for (const [at, { answer, secret }] of (webhooks.handshake ?? []).entries()) {
    if ((answer === undefined) === (secret === undefined)) add(['handshake', at], 'needs one of "answer" and "secret"')
    if (secret !== undefined && (endpoint !== 'app' || verify.by === 'jwt' || verify.secret.from !== 'app'))
      add(['handshake', at, 'secret'], 'needs `endpoint: app` and a secret from the app')
  }

  const sets = [...Object.values(objects), ...(otherObjects ? [otherObjects] : [])].map(({ set = {} }) => set)
  const shared = sets.length === 0 ? [] : Object.keys(sets[0] ?? {}).filter((name) => sets.every((set) => name in set))
  const lookups = registration?.lookups ?? []
  const { each } = registration ?? {}
  if (each !== undefined) {
    const path = ['webhooks', 'registration', 'each']
    flaws.push(...lintListing(path, each, connectionVariables, []))
  }
  const allowed = [...connectionVariables, ...ofRegistration, ...shared, ...(each === undefined ? [] : ['parent'])]
  lookups.forEach(({ name: _, value: __, ...lookup }, at) => {
    const known = lookups.slice(0, at).map(({ name }) => name)
    const path = ['webhooks', 'registration', 'lookups', at]
    flaws.push(...lintRequest(path, lookup as Request, [...allowed, ...known]))
  })
  const found = lookups.map(({ name }) => name)
  for (const part of ['create', 'renew', 'delete'] as const) {
    const hook = registration?.[part]
    // What was looked up is known while registering, and not afterwards.
    const names = part === 'create' ? [...allowed, ...found] : allowed
    if (hook) flaws.push(...lintRequest(['webhooks', 'registration', part], hook as Request, names))
  }
  const idOf = new Map<string, string>()
  for (const [name, { id, create = [], update = [], delete: gone = [] }] of Object.entries(objects)) {
    const idText = JSON.stringify(id)
    for (const event of [...create, ...update, ...gone]) {
      if ((idOf.get(event) ?? idText) !== idText)
        add(['objects', name], `has its id in another location of "${event}" than another object`)
      idOf.set(event, idText)
    }
  }
  if (Object.keys(objects).length === 0 && otherObjects === undefined) add(['objects'], 'names no object with events')
  for (const [name, events] of [...Object.entries(objects), ['', otherObjects] as const]) {
    const path = name === '' ? ['otherObjects'] : ['objects', name]
    for (const kind of ['create', 'update', 'delete', 'association'] as const)
      for (const [at, text] of (events?.[kind] ?? []).entries())
        for (const variable of parseTemplate(text).variables)
          if (variable !== 'object') add([...path, kind, at], `uses the variable "${variable}", which is not declared`)
    for (const variable of events?.idAs === undefined ? [] : parseTemplate(events.idAs).variables)
      if (variable !== 'id') add([...path, 'idAs'], `uses the variable "${variable}"; only {{id}} is available`)
    if (events?.association !== undefined && association === undefined)
      add([...path, 'association'], 'needs the key "association" of `webhooks`')
  }
  return flaws
}

function lintVerification({ endpoint, verify, registration }: Webhooks): Flaw[] {
  const flaws: Flaw[] = []
  const add = (path: Flaw['path'], message: string) => flaws.push({ path: ['webhooks', 'verify', ...path], message })
  const headers: [Flaw['path'], string | undefined][] = [
    [['header'], verify.header],
    [['timestamp', 'header'], timestampOf(verify)?.header],
  ]
  for (const [path, header] of headers)
    if (header !== undefined && !httpToken.test(header)) add(path, 'is not a valid header name')
  if (verify.by === 'jwt') {
    if (verify.key.from === 'connection' && endpoint === 'app')
      add(['key', 'from'], 'is a value of one connection; with `endpoint: app`, all connections share one URL')
    return flaws
  }
  const { secret } = verify
  if (secret.from === 'answer' && registration?.secret === undefined)
    add(['secret', 'from'], 'is the answer of a registration, whose path "secret" is not declared')
  if (secret.from === 'generated' && registration === undefined)
    add(['secret', 'from'], 'is sent along with a registration, which is not declared')
  if (secret.name !== undefined && secret.from !== 'app')
    add(['secret', 'name'], 'is a value of the app, but `from` is not `app`')
  if (verify.by === 'token') return flaws
  const names = parseTemplate(verify.signedText ?? '{{body}}').variables
  for (const name of names)
    if (!['body', 'timestamp', 'method', 'url'].includes(name))
      add(['signedText'], `uses the variable "${name}", which requests do not have`)
  if (!names.includes('body')) add(['signedText'], 'leaves the body out: anybody could change it')
  if (names.includes('timestamp') !== (verify.timestamp !== undefined))
    add(['timestamp'], 'is declared where it is signed, and only there: else anybody could change it')
  return flaws
}

function timestampOf(verify: Verification) {
  return verify.by === 'hmac' ? verify.timestamp : undefined
}
