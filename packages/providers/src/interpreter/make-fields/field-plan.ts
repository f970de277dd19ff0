import type { MakeFields } from '../../catalogue/format/make-fields.ts'
import type { Request } from '../../catalogue/format/request.ts'
import { compilePath, type PathReader } from '../path.ts'
import { type CompiledRequest, compileRequest } from '../request.ts'

/** How fields of an object are made, compiled. */
export interface FieldPlan {
  types: MakeFields['types']
  before: CompiledStep[]
  create: CompiledRequest
  find?: { request: CompiledRequest; id: PathReader }
  update?: CompiledRequest
  after: CompiledStep[]
}

export interface CompiledStep {
  request: CompiledRequest
  /** Statuses that mean that it was done before. */
  unless: readonly number[]
}

const plans = new WeakMap<MakeFields, FieldPlan>()

/** The requests that make fields, compiled once. */
export function fieldPlanOf(declared: MakeFields): FieldPlan {
  const known = plans.get(declared)
  if (known !== undefined) return known
  const { types, before = [], create, find, update, after = [] } = declared
  const stepOf = ({ unless = [], ...request }: NonNullable<MakeFields['before']>[number]): CompiledStep => ({
    request: compile('POST', request),
    unless,
  })
  const plan: FieldPlan = {
    types,
    before: before.map(stepOf),
    create: compile('POST', create),
    after: after.map(stepOf),
    ...(update && { update: compile('PATCH', update) }),
  }
  if (find !== undefined) {
    const { id, ...request } = find
    plan.find = { request: compile('GET', request), id: compilePath(id) }
  }
  plans.set(declared, plan)
  return plan
}

/** Only the methods are more than a reader's. */
function compile(otherwise: string, { method, ...request }: Omit<Request, 'method'> & { method?: string }) {
  return { ...compileRequest(request), method: method ?? otherwise }
}
