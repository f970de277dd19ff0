import type { LiveFields } from '../../catalogue/format/field-sources.ts'
import type { FieldMetadata, ValueType } from '../../connector.ts'
import { compileMatch } from '../match.ts'
import { compilePath, compilePaths, own, scalarText } from '../path.ts'
import { scopeOf, textOf } from '../request.ts'
import { parseTemplate, render } from '../template.ts'

/** Turns a field as the provider lists it into ours; `undefined` when it has no name. */
export type DescribeField = (listed: unknown) => FieldMetadata | undefined

export function compileLiveField(source: LiveFields): DescribeField {
  const name = compileText(source.name)
  const displayName = source.displayName === undefined ? undefined : firstText(source.displayName)
  const providerType = source.providerType === undefined ? undefined : firstText(source.providerType)
  const rules = (source.valueType ?? []).map(({ when, is }) => ({ fits: compileMatch(when), is }))
  const flags = {
    readOnly: compileFlag(source.readOnly),
    isCustom: compileFlag(source.isCustom),
    isRequired: compileFlag(source.isRequired),
  }
  const reference = compileReference(source.referenceTo)
  const choices = compileChoices(source.values)

  return (listed) => {
    const fieldName = name(listed)
    if (fieldName === undefined || fieldName === '') return undefined
    const field: FieldMetadata = { fieldName, displayName: displayName?.(listed) || fieldName }
    if (rules.length > 0) field.valueType = rules.find(({ fits }) => fits(listed))?.is ?? 'other'
    const ownType = providerType?.(listed)
    if (ownType !== undefined) field.providerType = ownType
    for (const [flag, read] of Object.entries(flags)) {
      const value = read?.(listed)
      if (value !== undefined) field[flag as keyof typeof flags] = value
    }
    const targets = reference?.(listed) ?? []
    if (targets.length > 0) field.referenceTo = targets
    const values = takesValues(field.valueType) ? choices?.(listed) : undefined
    if (values !== undefined && values.length > 0) field.values = values
    return field
  }
}

export function takesValues(type: ValueType | undefined): boolean {
  return type === 'singleSelect' || type === 'multiSelect' || type === 'reference'
}

/** A text with `{{ }}` is a template over the listed field, another is a path in it. */
export function compileText(text: string): (listed: unknown) => string | undefined {
  if (text.includes('{{')) {
    const template = parseTemplate(text)
    return (listed) => render(template, textOf(itemScope(listed)))
  }
  const read = compilePath(text)
  return (listed) => scalarText(read(listed))
}

/** The first of several that has a value. */
function firstText(texts: string | readonly string[]): (listed: unknown) => string | undefined {
  if (typeof texts === 'string') return compileText(texts)
  const readers = texts.map(compileText)
  return (listed) => {
    for (const read of readers) {
      const found = read(listed)
      if (found !== undefined && found !== '') return found
    }
    return undefined
  }
}

/** The keys of the listed field as variables. */
function itemScope(listed: unknown) {
  return scopeOf(typeof listed === 'object' && listed !== null ? (listed as Record<string, unknown>) : {})
}

function compileFlag(flag: LiveFields['readOnly']): ((listed: unknown) => boolean | undefined) | undefined {
  if (flag === undefined) return undefined
  if (typeof flag === 'boolean') return () => flag
  if (typeof flag === 'string') {
    const read = compilePath(flag)
    return (listed) => read(listed) === true
  }
  if ('when' in flag) return compileMatch(flag.when)
  const read = compilePath(flag.not)
  return (listed) => read(listed) !== true
}

function compileReference(declared: LiveFields['referenceTo']): ((listed: unknown) => string[]) | undefined {
  if (declared === undefined) return undefined
  const read = compilePath(declared.path)
  const otherwise = declared.otherwise === undefined ? undefined : compileText(declared.otherwise)
  return (listed) => {
    const found = read(listed)
    return (Array.isArray(found) ? found : [found]).flatMap((one: unknown) => {
      const target = scalarText(one)
      if (target === undefined || target === '') return []
      return scalarText(own(declared.map, target)) ?? (otherwise === undefined ? target : (otherwise(listed) ?? []))
    })
  }
}

function compileChoices(declared: LiveFields['values']) {
  if (declared === undefined) return undefined
  const list = compilePaths(declared.path)
  const value = compilePath(declared.value ?? 'value')
  const label = compilePath(declared.label ?? 'label')
  return (listed: unknown): { value: string; displayValue: string }[] => {
    const items = list(listed)
    if (!Array.isArray(items)) return []
    return items.flatMap((item: unknown) => {
      const plain = scalarText(item)
      const text = plain ?? scalarText(value(item))
      return text === undefined ? [] : [{ value: text, displayValue: plain ?? scalarText(label(item)) ?? text }]
    })
  }
}
