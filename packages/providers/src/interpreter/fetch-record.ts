import type { ProviderObject } from '../catalogue/format/provider-file.ts'
import type { Get } from '../catalogue/format/write.ts'
import type { Connector, ProviderRecord } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { compileFields } from './fields.ts'
import { isObject, type PathReader, scalarText } from './path.ts'
import type { Reader } from './reader.ts'
import { compileId, idVariable } from './record-id.ts'
import { type CompiledRequest, compileRequest, type Scope, scopeOf } from './request.ts'
import { scopedPath } from './scoped-path.ts'
import type { Session } from './session.ts'
import { wantedLinks } from './wanted-links.ts'

/** The part of a connector that reads one record by its id. */
export type Fetcher = Pick<Connector, 'canFetch' | 'fetchRecord'>

export interface Fetching extends Pick<Reader, 'fieldsToAskFor' | 'liftedFields'> {
  session: Session
  base: URL
  /** The object of that name, where there is one. */
  find(name: string): ProviderObject | undefined
  scopeFor(name: string, object: ProviderObject): Scope
}

interface Plan {
  request: CompiledRequest
  record: (answer: unknown, scope: Scope) => unknown
  id: PathReader
}

const plans = new WeakMap<ProviderObject, Plan>()

function planOf(get: Get, object: ProviderObject): Plan {
  const known = plans.get(object)
  if (known !== undefined) return known
  const plan = {
    request: compileRequest(get),
    record: scopedPath(get.record ?? ''),
    id: compileId(object.read?.id),
  }
  plans.set(object, plan)
  return plan
}

/** Reads single records as the objects' files declare. */
export function openFetcher({ session, base, find, scopeFor, fieldsToAskFor, liftedFields }: Fetching): Fetcher {
  async function fetchRecord(
    name: string,
    id: string,
    fields: 'all' | readonly string[],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<ProviderRecord | undefined> {
    const object = find(name)
    if (object?.get === undefined) {
      throw new ProviderError('unsupported_object', `A record of "${name}" cannot be read by its id here.`)
    }
    const plan = planOf(object.get, object)
    const asked = plan.request.variables.has('fields') ? await fieldsToAskFor(name, object, fields, signal) : undefined
    const links = wantedLinks(fields, object.read?.links)
    const scope = scopeOf({ id: idVariable(object.read?.id, id), fields: asked, links }, scopeFor(name, object))
    const { response, error } = await session.attempt(plan.request, base, scope, { signal })
    if (error?.class === 'not_found') return undefined
    if (error !== undefined) throw error
    const raw = plan.record(response.json, scope)
    if (raw === null) return undefined
    if (!isObject(raw)) {
      throw new ProviderError('unexpected_response', 'The answer is no record.', { status: response.status })
    }
    const found = scalarText(plan.id(raw)) ?? id
    const lifted = await liftedFields(name, object, fields, signal)
    return { id: found, fields: compileFields(fields, object.read?.flatten ?? [])(raw, lifted?.(raw)), raw }
  }

  return { canFetch: (name) => find(name)?.get !== undefined, fetchRecord }
}
