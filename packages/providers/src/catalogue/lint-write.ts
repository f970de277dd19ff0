import { pathNames } from '../interpreter/path.ts'
import { idParts } from '../interpreter/record-id.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './file-checks.ts'
import type { ProviderObject } from './format/provider-file.ts'
import type { Request } from './format/request.ts'
import type { BatchOperation, WriteOperation } from './format/write.ts'
import { lintRequest } from './lint-request.ts'

/** What the schema cannot say of how an object is written, and how one record is read. */
export function lintWrite({ read, write, get }: ProviderObject, shared: readonly string[]): Flaw[] {
  const flaws: Flaw[] = []
  const parts = idParts(read?.id).map((part) => `id.${part}`)
  const named = parts.length === 0 ? ['id'] : parts
  const needId = (path: Flaw['path'], request: { path: string }) => {
    const text = JSON.stringify(request)
    for (const name of named)
      if (!text.includes(`{{${name}}}`)) flaws.push({ path, message: `says nowhere which record: {{${name}}}` })
    for (const [, name = ''] of text.matchAll(/\{\{(id(?:\.[\w-]+)?)\}\}/g))
      if (!named.includes(name))
        flaws.push({ path, message: `names {{${name}}}; the id is ${named.map((one) => `{{${one}}}`).join(', ')}` })
  }
  if (get !== undefined) {
    flaws.push(...lintRequest(['get'], get, [...shared, 'id', 'fields', 'links']))
    needId(['get'], get)
  }
  if (write === undefined) return flaws
  const known = [...shared, 'idempotencyKey']
  flaws.push(...lintRequest(['write'], { path: '/', ...pick(write) }, [...known, 'id', 'record', 'associations']))
  for (const type of ['create', 'update', 'delete'] as const) {
    const operation = write[type]
    if (operation === undefined) continue
    const ofRecord = type === 'delete' ? [] : ['record', 'associations']
    const ofId = type === 'create' ? [] : ['id']
    flaws.push(...lintRequest(['write', type], asRequest(operation), [...known, ...ofId, ...ofRecord]))
    // An update may name it in a body that both kinds share.
    if (type !== 'create') needId(['write', type], { ...operation, ...(type === 'update' && { shared: write.body }) })
  }
  for (const type of ['create', 'update'] as const) {
    const operation = write.batch?.[type]
    if (operation === undefined) continue
    // `item` is what `$each` names its parts by.
    const names = [...known, 'items', 'item', 'allOrNone']
    flaws.push(...lintRequest(['write', 'batch', type], asRequest(operation), names))
  }
  for (const [at, { item }] of (write.gather ?? []).entries()) {
    const path = ['write', 'gather', at]
    flaws.push(...lintRequest(path, { path: '/', body: item }, ['key', 'value']))
  }
  for (const path of scopedPaths(write)) {
    for (const name of path.names) {
      if (!shared.includes(name))
        flaws.push({ path: path.at, message: `names the variable "${name}", which is not declared here` })
    }
  }
  return flaws
}

function pick({ headers, body }: NonNullable<ProviderObject['write']>): Pick<Request, 'headers' | 'body'> {
  return { ...(headers && { headers }), ...(body !== undefined && { body }) }
}

/** The lint of requests judges no methods: the schema did. */
function asRequest({ method: _, ...request }: WriteOperation | BatchOperation): Request {
  return request
}

/** Paths of answers in which variables of the object may stand. */
function scopedPaths(write: NonNullable<ProviderObject['write']>): { at: Flaw['path']; names: readonly string[] }[] {
  const answers = [
    { at: ['write', 'answer'], answer: write.answer },
    ...(['create', 'update', 'delete'] as const).map((type) => ({
      at: ['write', type, 'answer'],
      answer: write[type]?.answer,
    })),
  ]
  return answers.flatMap(({ at, answer }) =>
    [answer?.data, answer?.id, answer?.refusals?.list].flatMap((path) => {
      try {
        return (pathNames(path ?? '') ?? []).map((name) => ({ at, names: parseTemplate(name).variables }))
      } catch {
        return [{ at, names: [path ?? ''] }]
      }
    }),
  )
}
