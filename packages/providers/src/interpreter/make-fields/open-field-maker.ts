import type { ProviderObject } from '../../catalogue/format/provider-file.ts'
import type { Connector, FieldDefinition, FieldMetadata, FieldUpsert } from '../../connector.ts'
import type { ProviderErrorClass } from '../../error-classes.ts'
import { ProviderError } from '../../provider-error.ts'
import { isObject } from '../path.ts'
import { type CompiledRequest, type Scope, scopeOf } from '../request.ts'
import type { Session } from '../session.ts'
import { type CompiledStep, type FieldPlan, fieldPlanOf } from './field-plan.ts'
import {
  type FieldVariables,
  fieldVariables,
  isAsWanted,
  isSameType,
  leftOut,
  newOptions,
  withKnownOptions,
} from './wanted-field.ts'

/** The part of a connector that makes fields. */
export type FieldMaker = Pick<Connector, 'definableTypes' | 'upsertFields'>

export interface FieldMaking {
  session: Session
  base: URL
  /** The object of that name, where there is one. */
  find(name: string): ProviderObject | undefined
  scopeFor(name: string, object: ProviderObject): Scope
  describe(name: string, signal: AbortSignal | undefined): Promise<{ fields: Record<string, FieldMetadata> }>
}

/** What says something of one field alone; everything else ends the whole. */
const ofOneField: ReadonlySet<ProviderErrorClass> = new Set(['bad_request', 'forbidden', 'not_found'])

/** Makes and changes fields as the objects' files declare. */
export function openFieldMaker({ session, base, find, scopeFor, describe }: FieldMaking): FieldMaker {
  async function upsertFields(
    name: string,
    definitions: readonly FieldDefinition[],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<FieldUpsert[]> {
    const object = find(name)
    if (object?.makeFields === undefined)
      throw new ProviderError('unsupported_object', `Fields of "${name}" cannot be made here.`)
    const plan = fieldPlanOf(object.makeFields)
    const outer = scopeFor(name, object)
    const { fields } = await describe(name, signal)
    const existing = new Map(Object.values(fields).map((field) => [field.fieldName.toLowerCase(), field]))
    const send = (request: CompiledRequest, scope: Scope) => session.send(request, base, scope, signal)
    /** Sends steps in order; answers the scope with what their answers gave. */
    const take = async (steps: readonly CompiledStep[], given: Scope): Promise<Scope> => {
      let scope = given
      for (const { request, unless, take: taken } of steps) {
        try {
          const { json, status } = await send(request, scope)
          scope = scopeOf(valuesOf(taken, json, status), scope)
        } catch (error) {
          if (!(error instanceof ProviderError && error.status !== undefined && unless.includes(error.status)))
            throw error
        }
      }
      return scope
    }
    let prepared: Scope | undefined

    async function create(definition: FieldDefinition, wanted: FieldVariables): Promise<FieldUpsert> {
      prepared ??= await take(plan.before, outer)
      const scope = scopeOf({ field: wanted, type: plan.types[definition.valueType] }, prepared)
      const { json } = await send(plan.create, scope)
      const named = new Set([plan.create, ...plan.after.map(({ request }) => request)].flatMap(namesOf))
      const done = { ...result(definition, 'create', named, wanted), ...(isObject(json) && { metadata: json }) }
      try {
        await take(plan.after, scope)
      } catch (error) {
        // The field is there: that it was made must not be lost.
        if (!(error instanceof ProviderError && ofOneField.has(error.class))) throw error
        return { ...done, warnings: [...done.warnings, `The field was made. ${wordsOf(error)}`] }
      }
      return done
    }

    async function change(definition: FieldDefinition, field: FieldMetadata): Promise<FieldUpsert> {
      const asked = fieldVariables(definition)
      const left = leftAsItIs(plan, definition, field, asked)
      if (left !== undefined || plan.update === undefined)
        return { fieldName: definition.fieldName, ...nothing, ...left }
      const wanted = { ...withKnownOptions(asked, field), name: field.fieldName }
      const values = { field: wanted, added: newOptions(asked, field), type: plan.types[definition.valueType] }
      const scope = scopeOf(values, outer)
      const { json } = await send(plan.update, await take(plan.find, scope))
      const named = new Set(namesOf(plan.update))
      return { ...result(definition, 'update', named, wanted), ...(isObject(json) && { metadata: json }) }
    }

    const done: FieldUpsert[] = []
    for (const definition of definitions) {
      const field = existing.get(definition.fieldName.toLowerCase())
      try {
        done.push(field ? await change(definition, field) : await create(definition, fieldVariables(definition)))
      } catch (error) {
        if (!(error instanceof ProviderError && ofOneField.has(error.class))) throw error
        done.push({ fieldName: definition.fieldName, ...nothing, success: false, warnings: [wordsOf(error)] })
      }
    }
    return done
  }

  return {
    definableTypes: (name) => {
      const declared = find(name)?.makeFields
      return declared === undefined ? [] : (Object.keys(declared.types) as FieldDefinition['valueType'][])
    },
    upsertFields,
  }
}

function namesOf({ variables }: CompiledRequest): string[] {
  return [...variables]
}

/** @throws ProviderError where the answer lacks one */
function valuesOf(taken: CompiledStep['take'], json: unknown, status: number): Record<string, unknown> {
  return Object.fromEntries(
    taken.map(([name, read]) => {
      const value = read(json)
      if (value === undefined || value === null)
        throw new ProviderError('unexpected_response', `The response does not contain the ${name} of the field.`, {
          status,
        })
      return [name, value]
    }),
  )
}

const nothing = { action: 'none', success: true, warnings: [] } as const

function result(
  { fieldName }: FieldDefinition,
  action: 'create' | 'update',
  named: ReadonlySet<string>,
  wanted: FieldVariables,
): FieldUpsert {
  // The name of a field that is there says which it is; it need not be repeated.
  const ignored = leftOut(wanted, named).filter((name) => name !== 'name')
  return {
    fieldName,
    action,
    success: true,
    warnings: ignored.map((name) => `The provider takes no \`${name}\` here: it was left out.`),
  }
}

/** Why a field that is there is not touched, and whether that is well; undefined when it is to be changed. */
function leftAsItIs(
  plan: FieldPlan,
  definition: FieldDefinition,
  field: FieldMetadata,
  asked: FieldVariables,
): Pick<FieldUpsert, 'success' | 'warnings'> | undefined {
  const no = (why: string) => ({ success: false, warnings: [why] })
  if (!isSameType(plan.types, definition.valueType, field.valueType))
    return no(`The field is there with the type ${field.valueType}, and types are not changed.`)
  if (isAsWanted(asked, field)) return { success: true, warnings: [] }
  if (field.isCustom === false) return no('The field is the provider’s own, and not changed.')
  if (plan.update === undefined) return no('The field is there, and the provider lets no fields be changed.')
  return undefined
}

function wordsOf(error: ProviderError): string {
  return [error.message, error.providerMessage].filter(Boolean).join(' ')
}
