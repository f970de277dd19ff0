import type { WriteRequest, WriteType } from '../connector.ts'
import { compilePattern } from '../interpreter/pattern.ts'
import { ProviderError } from '../provider-error.ts'
import { ruledClass } from './failing-reads.ts'
import { canonical, declaredRequest } from './stand-in/declared-request.ts'
import { filledBody, filledText, variablesIn } from './stand-in/fill.ts'
import type { Answer } from './stand-in/http-server.ts'
import { fitted, isJson, type Json, namesOf, textFor, unfitted, valueAt, withValue } from './stand-in/json-paths.ts'
import { idPathsOf } from './stand-in/records.ts'
import type { StandInServer } from './stand-in/server.ts'
import { fixedRoute, type Route, type StandIn } from './stand-in/stand-in.ts'
import { connectorTo, type Subject, standInFor } from './stand-in/subject.ts'
import { type Tried, tryCase } from './tried.ts'

const methods = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const
const words = 'The stand-in refuses this record.'
const html = '<!doctype html><html><head><title>Sign in</title></head></html>'

interface Case {
  standIn: StandIn
  request: WriteRequest
  id: string
  answer: Json
}

/** Writes a record of an object to its stand-in in every way. */
export async function writeCases(subject: Subject, server: StandInServer): Promise<Tried[]> {
  const tried: Tried[] = []
  const write = (subject.object['write'] ?? {}) as Json
  for (const type of ['create', 'update', 'delete'] as const) {
    if (!isJson(write[type])) continue
    const run = async (name: string, test: (made: Case) => Promise<string[]>, instead?: (answer: Answer) => Answer) => {
      tried.push(await tryCase(type, name, () => faultsOf(caseOf(subject, write, type), test, instead)))
    }
    const refusedBy = (answer: Answer) => (made: Case) => refusedWrite(subject, server, made, answer)
    await run('success', (made) => successfulWrite(subject, server, made))
    const invalid = { status: 422, body: withValue({}, messagePath(subject), words) }
    await run('422', refusedBy(invalid), () => invalid)
    const page = { body: html }
    await run(
      'html',
      (made) => pageInstead(subject, server, made),
      () => page,
    )
    const { success, refusals } = answerOf(write, type)
    if (success !== undefined)
      await run('no success', refusedBy({}), ({ body }) => ({ body: unfitted(body, success as Json) }))
    if (isJson(refusals))
      await run('refusals', refusedBy({ body: words }), ({ body }) => ({ body: refused(body, refusals, subject) }))
  }
  return tried
}

/** What a test finds wrong, after the requests that the stand-in refused. */
async function faultsOf(
  made: Case,
  test: (made: Case) => Promise<string[]>,
  instead: ((answer: Answer) => Answer) | undefined,
): Promise<string[]> {
  made.standIn.instead = instead
  const found = await test(made).catch((error: unknown) => [`fails: ${String(error)}`])
  return [...made.standIn.refused.map((why) => `refused: ${why}`), ...found]
}

const answerOf = (write: Json, type: WriteType) => ((write[type] as Json)['answer'] ?? write['answer'] ?? {}) as Json

function messagePath({ entry }: Subject): string {
  return entry.file?.errors.message?.find((path) => path !== '') ?? 'message'
}

/** A response with a list of errors. */
function refused(body: unknown, { list, message, when, matches }: Json, { values }: Subject): unknown {
  const text = matches === undefined ? words : `${textFor(String(matches))} ${words}`
  const [path = 'message'] = (message ?? []) as string[]
  return withValue(body, filledText(String(list), values) ?? '', [
    fitted(withValue({}, path, text), when as Json | undefined),
  ])
}

function caseOf(subject: Subject, write: Json, type: WriteType): Case {
  const { base } = subject
  const operation = write[type] as Json
  const { lookups = [], body: own, encoding = write['encoding'], method = methods[type] } = operation
  const body = own ?? (type === 'delete' ? undefined : (write['body'] ?? { $value: 'record' }))
  const headers = { ...(write['headers'] as Json), ...(operation['headers'] as Json) }
  const request = { ...operation, method, body, encoding, headers }
  const id = idFor(subject)
  const record = recordFor(request, lookups)
  const apart = variablesIn(request).flatMap((name) => (/^record\.[^.]+$/.test(name) ? [name.slice(7)] : []))
  const rest = Object.fromEntries(Object.entries(record).filter(([name]) => !apart.includes(name)))
  const parts = Object.fromEntries(Object.entries(record).map(([name, value]) => [`record.${name}`, value]))
  const key = 'stand-in-key'
  let values: Json = {
    ...subject.values,
    ...parts,
    record: shaped(rest, write),
    changes: Object.entries(rest).map(([name, value]) => ({ name, value })),
    changedPaths: pathsOf(rest),
    id: type === 'create' ? undefined : id.value,
  }
  values = { ...values, idempotencyKey: key }
  const routes: Route[] = []
  const looked = new Map<string, unknown>()
  for (const lookup of lookups as Json[]) {
    const { name, value, unless } = lookup as Record<string, string>
    if (unless !== undefined && values[unless] !== undefined) continue
    // A row is written in the order of columns that were requested first.
    const isColumns = JSON.stringify(body ?? '').includes(`"$row":"${name}"`)
    const found = isColumns ? ['other', ...Object.keys(record)] : `found-${name}`
    const at = filledText(String(value), values) ?? ''
    const request = declaredRequest(lookup, base, values)
    // Several lookups may read one response.
    const known = looked.get(canonical(request)) ?? {}
    looked.set(canonical(request), withValue(known, at, found))
    routes.push({ ...fixedRoute(request, {}), answer: () => ({ body: looked.get(canonical(request)) }) })
    values = { ...values, [String(name)]: found }
  }
  const answer = answerOf(write, type)
  const declared = declaredRequest(request, base, values)
  if (encoding === 'form' && declared.body !== '')
    declared.headers['content-type'] ??= 'application/x-www-form-urlencoded'
  const success = successOf(subject, answer, id.text)
  routes.push(fixedRoute(declared, success.body, true, success.headers))
  return {
    standIn: standInFor(subject, () => routes),
    request: {
      object: String(subject.values['object']),
      type,
      record,
      idempotencyKey: key,
      ...(type !== 'create' && { id: id.text }),
    } as WriteRequest,
    id: id.text,
    answer,
  }
}

/** The id as a caller has it, and as requests name it. */
export function idFor({ object, values }: Subject): { text: string; value: unknown } {
  const paths = idPathsOf({ read: (object['read'] ?? {}) as Json, values })
  if (paths.length === 1) return { text: '1001', value: '1001' }
  const parts = paths.map((path, at) => [namesOf(path).at(-1) ?? path, String(1001 + at)] as const)
  return { text: parts.map(([, part]) => part).join('/'), value: Object.fromEntries(parts) }
}

/** A field, and every value of the record that the request names. */
function recordFor(request: Json, lookups: unknown): Json {
  const names = variablesIn([request, lookups]).flatMap((name) => (name.startsWith('record.') ? [name.slice(7)] : []))
  let record: unknown = { note: 'A record of the suite.' }
  for (const name of names) record = withValue(record, name, `the ${name}`)
  return record as Json
}

/** The record with its fields where `gather` moves them. */
function shaped(record: Json, { gather = [] }: Json): Json {
  let made: unknown = {}
  for (const [field, value] of Object.entries(record)) {
    const rules = (gather as { match: string; except?: string[]; into: string; item?: unknown }[]).map((rule) => ({
      ...rule,
      key: rule.except?.includes(field) ? undefined : compilePattern(`^(?:${rule.match})$`).result(field),
    }))
    const { key, into = '', item } = rules.find((rule) => rule.key !== undefined) ?? {}
    if (key === undefined) made = withValue(made, field, value)
    else if (item === undefined) made = withValue(made, `${into}.${key}`, value)
    else {
      const items = (valueAt(made, into) ?? []) as unknown[]
      made = withValue(made, into, [...items, filledBody(item, { key, value })])
    }
  }
  return made as Json
}

/** What the file says that a success looks like. */
function successOf({ object, values }: Subject, answer: Json, id: string): { body: unknown; headers: object } {
  const { data = '', id: idPath, idCapture, idHeader, success } = answer as Record<string, string | Json | undefined>
  const paths = idPathsOf({ read: (object['read'] ?? {}) as Json, values })
  const parts = id.split('/')
  let record: unknown = { note: 'The written record.' }
  if (idPath === undefined && idHeader === undefined)
    for (const [at, path] of paths.entries()) record = withValue(record, path, parts[at] ?? id)
  let body: unknown = withValue({}, filledText(String(data), values) ?? '', record)
  const isId = (text: string) => idCapture === undefined || compilePattern(String(idCapture)).result(text) === id
  const written = [id, `'Sheet'!A${id}:D${id}`].find(isId) ?? id
  if (idPath !== undefined) body = withValue(body, filledText(String(idPath), values) ?? '', written)
  body = fitted(body, success as Json | undefined)
  if (!isJson(idHeader)) return { body, headers: {} }
  const { name, capture } = idHeader as Record<string, string | undefined>
  const texts = [`https://api.example.com/items/${id}`, `https://api.example.com/items(${id})`]
  const fitting = texts.find((text) => capture === undefined || compilePattern(capture).result(text) === id)
  return { body, headers: { [String(name)]: fitting ?? id } }
}

async function successfulWrite(subject: Subject, server: StandInServer, { standIn, request, id }: Case) {
  const { success, recordId } = await connectorTo(server, subject, standIn).write(request)
  const faults = success ? [] : ['no success']
  if (recordId !== id) faults.push(`the id is ${recordId}, not ${id}`)
  return standIn.arrived.length === 1 ? faults : [...faults, `${standIn.arrived.length} requests arrived`]
}

/** A refusal, with the words of the provider where it has any. */
async function refusedWrite(subject: Subject, server: StandInServer, made: Case, answer: Answer): Promise<string[]> {
  const error = await errorOf(subject, server, made)
  if (!(error instanceof ProviderError)) return [String(error)]
  const wanted = ruledClass(subject, answer) ?? 'bad_request'
  if (error.class !== wanted) return [`${error.class}, not ${wanted}`]
  const said = [error.providerMessage, ...(error.errors ?? []).map(({ message }) => message)].join(' ')
  return answer.body === undefined || said.includes(words) ? [] : [`says ${said}`]
}

async function pageInstead(subject: Subject, server: StandInServer, made: Case): Promise<string[]> {
  const error = await errorOf(subject, server, made)
  return error instanceof ProviderError ? [] : [String(error)]
}

function errorOf(subject: Subject, server: StandInServer, { standIn, request }: Case): Promise<unknown> {
  return connectorTo(server, subject, standIn)
    .write(request)
    .then(
      ({ success, recordId }) => new Error(`a success: ${success}, ${recordId}`),
      (failure: unknown) => failure,
    )
}

function pathsOf(record: Json, start = ''): Json[] {
  return Object.entries(record).flatMap(([name, value]) =>
    isJson(value) && !Array.isArray(value) && Object.keys(value).length > 0
      ? pathsOf(value, `${start}${name}.`)
      : [{ name: `${start}${name}` }],
  )
}
