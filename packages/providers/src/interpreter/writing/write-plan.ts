import type { ProviderObject } from '../../catalogue/format/provider-file.ts'
import type { BatchOperation, Write, WriteOperation } from '../../catalogue/format/write.ts'
import type { WriteType } from '../../connector.ts'
import { formBody, formType } from '../form-body.ts'
import { isObject } from '../path.ts'
import { type CompiledRequest, compileRequest } from '../request.ts'
import { compileBody } from '../request-body.ts'
import type { Scope } from '../scope.ts'
import { scopedPath } from '../scoped-path.ts'
import { type AnswerReader, compileAnswer } from './answer.ts'
import { type BatchReader, compileBatchAnswer } from './batch-answer.ts'
import { type CustomFieldWriter, compileCustomFieldWriter } from './custom-fields.ts'
import { compileLostNulls, compileLostNullsOfItems, type LostNulls } from './lost-nulls.ts'
import { compileShape, type RecordShape } from './record-shape.ts'
import { type NamedParts, namedParts, namedPartsOfItems } from './unsent-fields.ts'

/** How an object is written, compiled. */
export interface WritePlan {
  shape: RecordShape
  /** What puts custom fields where the provider takes them, where that is declared. */
  customFields: CustomFieldWriter | undefined
  single: Partial<Record<WriteType, SinglePlan>>
  batch: Partial<Record<'create' | 'update', BatchPlan>>
  takesAssociations: boolean
  takesHeaders: boolean
}

export interface SinglePlan {
  request: CompiledRequest
  read: AnswerReader
  lookups: LookupPlan[]
  /** Names of the record's values that have a separate variable, and are not in `record`. */
  apart: readonly string[]
  /** Values of the record that are sent, or used in a lookup. */
  named: NamedParts
  lost: LostNulls
}

/** A value that is requested before the write. */
export interface LookupPlan {
  name: string
  request: CompiledRequest
  value: (answer: unknown, scope: Scope) => unknown
  unless: string | undefined
  /** Whether the record does not exist without a value. */
  isRecord: boolean
}

export interface BatchPlan {
  request: CompiledRequest
  read: BatchReader
  max: number
  /** What of each record is sent. */
  named: NamedParts
  lost: LostNulls
}

const methods = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const
const wholeRecord = { $value: 'record' }
const wholeList = { $each: 'items', $item: { $value: 'item.record' } }

const plans = new WeakMap<ProviderObject, WritePlan>()

/** The object's writes, compiled once. */
export function writePlanOf(object: ProviderObject): WritePlan {
  const known = plans.get(object)
  if (known !== undefined) return known
  const plan = compileWrite(object)
  plans.set(object, plan)
  return plan
}

function compileWrite(object: ProviderObject): WritePlan {
  const { read, write = {} } = object
  const single: WritePlan['single'] = {}
  for (const type of ['create', 'update', 'delete'] as const) {
    const operation = write[type]
    if (operation === undefined) continue
    const body = bodyOf(write, type)
    const request = compileOperation(write, { method: methods[type], ...operation }, body)
    const lookups = (operation.lookups ?? []).map(({ name, value, unless, isRecord = false, ...lookup }) => ({
      name,
      request: compileRequest(lookup),
      value: scopedPath(value),
      unless,
      isRecord,
    }))
    single[type] = {
      request,
      lookups,
      read: compileAnswer(operation.answer ?? write.answer ?? {}, read?.id, new Set(lookups.map(({ name }) => name))),
      apart: apart(request),
      named: namedParts([...request.variables, ...lookups.flatMap(variablesOf)]),
      lost: compileLostNulls(request.variables, body),
    }
  }
  const batch: WritePlan['batch'] = {}
  for (const type of ['create', 'update'] as const) {
    const operation = write.batch?.[type]
    if (operation === undefined) continue
    const body = withEachItem(operation.body ?? wholeList)
    const request = compileOperation(write, { method: 'POST', ...operation }, body)
    const named = namedPartsOfItems(body)
    batch[type] = {
      request,
      read: compileBatchAnswer(operation.answer),
      max: operation.max,
      named,
      lost: compileLostNullsOfItems(body),
    }
  }
  return {
    customFields: write.customFields && compileCustomFieldWriter(object, write.customFields),
    shape: compileShape(write.flatten ?? read?.flatten ?? [], write.gather),
    single,
    batch,
    takesAssociations: single.create?.request.variables.has('associations') === true,
    takesHeaders: write.callerHeaders === true,
  }
}

function bodyOf(write: Write, type: WriteType): unknown {
  const own = write[type]?.body
  return type === 'delete' ? own : (own ?? write.body ?? wholeRecord)
}

/**
 * Returns the body of a batch that has an object for each item, even an empty one: an item that is left out would give
 * its position, and so the result of another record.
 */
function withEachItem(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withEachItem)
  if (!isObject(part)) return part
  const item = part['$item']
  if (part['$each'] === 'items' && isObject(item) && item['$value'] === undefined)
    return { ...part, $item: { ...item, $keep: true } }
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withEachItem(value)]))
}

function compileOperation(
  shared: Write,
  { method = 'POST', body: _, encoding = shared.encoding, ...operation }: WriteOperation | BatchOperation,
  body: unknown,
): CompiledRequest {
  const headers = { ...shared.headers, ...operation.headers }
  const {
    answer: __,
    lookups: ___,
    refused: ____,
    ...request
  } = {
    lookups: undefined,
    refused: undefined,
    ...operation,
  }
  // Only the body is ours: forms are encoded differently, and the other methods send no body.
  const compiled = compileRequest({ ...request, headers })
  if (body === undefined) return { ...compiled, method }
  const filled = compileBody(body)
  const composed = new Set(Object.keys(request.expressions ?? {}))
  const write = encoding === 'form' ? formBody : JSON.stringify
  return {
    ...compiled,
    method,
    variables: new Set([...compiled.variables, ...[...filled.variables].filter((name) => !composed.has(name))]),
    headers: (scope) => ({
      ...(encoding === 'form' && { 'content-type': formType }),
      ...compiled.headers(scope),
    }),
    body: (scope) => {
      const value = filled.fill(compiled.within(scope))
      return value === undefined ? undefined : write(value)
    },
  }
}

function apart({ variables }: CompiledRequest): string[] {
  return [...variables].flatMap((name) => /^record\.([^.]+)$/.exec(name)?.[1] ?? [])
}

function variablesOf({ request, unless }: LookupPlan): string[] {
  return unless === undefined ? [...request.variables] : [...request.variables, unless]
}
