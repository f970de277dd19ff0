import type { MakeFields, Preparation } from '../../catalogue/format/make-fields.ts'
import type { Request } from '../../catalogue/format/request.ts'
import { capturedText } from '../captured-text.ts'
import { compilePath } from '../path.ts'
import { type CompiledRequest, compileRequest } from '../request.ts'

/** How fields of an object are made, compiled. */
export interface FieldPlan {
  types: MakeFields['types']
  before: CompiledStep[]
  create: CompiledRequest
  find: CompiledStep[]
  update?: CompiledRequest
  after: CompiledStep[]
}

export interface CompiledStep {
  request: CompiledRequest
  /** Statuses that mean that it was done before. */
  unless: readonly number[]
  /** Variables that its answer gives to the requests that follow; undefined where there is none. */
  take: [name: string, read: (answer: unknown) => unknown][]
}

const plans = new WeakMap<MakeFields, FieldPlan>()

/** The requests that make fields, compiled once. */
export function fieldPlanOf(declared: MakeFields): FieldPlan {
  const known = plans.get(declared)
  if (known !== undefined) return known
  const { types, before = [], create, find = [], update, after = [] } = declared
  const plan: FieldPlan = {
    types,
    before: before.map((step) => compileStep('POST', step)),
    create: compile('POST', create),
    find: find.map((step) => compileStep('GET', step)),
    after: after.map((step) => compileStep('POST', step)),
    ...(update && { update: compile('PATCH', update) }),
  }
  plans.set(declared, plan)
  return plan
}

function compileStep(otherwise: string, { unless = [], take = {}, ...request }: Preparation): CompiledStep {
  return {
    request: compile(otherwise, request),
    unless,
    take: Object.entries(take).map(([name, source]) => [name, compileTake(source)]),
  }
}

/** A value with its type, or the part of a text that is wanted. */
function compileTake(source: string | { path: string; capture?: string }): (answer: unknown) => unknown {
  if (typeof source === 'string' || source.capture === undefined)
    return compilePath(typeof source === 'string' ? source : source.path)
  return (answer) => capturedText(answer, source)
}

/** Only the methods are more than a reader's. */
function compile(otherwise: string, { method, ...request }: Omit<Request, 'method'> & { method?: string }) {
  return { ...compileRequest(request), method: method ?? otherwise }
}
